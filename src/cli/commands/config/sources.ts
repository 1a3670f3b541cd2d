// toolcrib config sources: lists the files that servers come from, and the files that were not found.

import { importers } from '../../../config/imports/builtins.ts'
import type { SourceReport } from '../../../config/load/import-sources.ts'
import type { LoadedConfig } from '../../../config/load/load.ts'
import { loadValid } from '../../../setup/load-config.ts'
import { projectLine, sourceLine } from '../../output/config-lines.ts'
import { count, oneLine } from '../../output/text.ts'
import type { Work } from '../../output/work.ts'

export async function listSources(work: Work): Promise<number> {
  const { output } = work
  const loaded = await loadValid(work)
  const own = loaded.servers.filter(({ origin }) => origin.source === 'config').length
  const reports = [...loaded.sources, ...missingFiles(loaded, work)]
  const file = loaded.origin.kind === 'defaults' ? null : loaded.origin.file
  const { project } = loaded
  const ownInUse = [file !== null, project?.state === 'used'].filter(Boolean).length
  const document = {
    config: file === null ? null : { file, servers: own },
    project: project ?? null,
    sources: reports,
  }
  output.show(document, () => {
    if (output.isQuiet) return reports.filter(({ state }) => state === 'used').map(({ path }) => oneLine(path))
    const { paint } = output
    return [
      `Configuration sources (${reports.filter(({ state }) => state === 'used').length + ownInUse} in use):`,
      '',
      ...(file === null ? [] : [`${paint.green('✓')} config (${output.path(file)}) - ${count(own, 'server')}`]),
      ...(project === undefined ? [] : [projectLine(project, output)]),
      ...reports.map((report) => sourceLine(report, output)),
    ]
  })
  return 0
}

/** Without a config file, the files of all clients are read. Reports a missing file for each client that has none. */
function missingFiles({ origin, sources }: LoadedConfig, { environment }: Work): readonly SourceReport[] {
  if (origin.kind !== 'defaults') return []
  return [...importers.values()].flatMap((importer): readonly SourceReport[] => {
    const [first] = importer.paths(environment)
    if (first === undefined || sources.some(({ type }) => type === importer.name)) return []
    return [{ type: importer.name, ...first, state: 'missing', servers: 0 }]
  })
}
