// toolcrib config sources: which files servers come from, and where else was looked.

import type { SourceReport } from '../../config/import-sources.ts'
import { importers } from '../../config/imports/builtins.ts'
import type { LoadedConfig } from '../../config/load.ts'
import { count, oneLine, shortPath } from '../output/text.ts'
import { loadValid } from '../session.ts'
import type { Work } from '../work.ts'
import { sourceLine } from './source-lines.ts'

export async function listSources(work: Work): Promise<number> {
  const { output, environment } = work
  const loaded = await loadValid(work)
  const own = loaded.servers.filter(({ origin }) => origin.source === 'config').length
  const reports = [...loaded.sources, ...absent(loaded, work)]
  const file = loaded.origin.kind === 'defaults' ? null : loaded.origin.file
  output.show({ config: file === null ? null : { file, servers: own }, sources: reports }, () => {
    if (output.isQuiet) return reports.filter(({ state }) => state === 'used').map(({ path }) => oneLine(path))
    const { paint } = output
    return [
      `Configuration sources (${reports.filter(({ state }) => state === 'used').length + (file === null ? 0 : 1)} in use):`,
      '',
      ...(file === null
        ? []
        : [`${paint.green('✓')} config (${oneLine(shortPath(file, environment.home))}) - ${count(own, 'server')}`]),
      ...reports.map((report) => sourceLine(report, environment.home, output)),
    ]
  })
  return 0
}

/** Without a config file every client is looked at; those that have nothing are worth a line too. */
function absent({ origin, sources }: LoadedConfig, { environment }: Work): readonly SourceReport[] {
  if (origin.kind !== 'defaults') return []
  return [...importers.values()].flatMap((importer): readonly SourceReport[] => {
    const [first] = importer.paths(environment)
    if (first === undefined || sources.some(({ type }) => type === importer.name)) return []
    return [{ type: importer.name, ...first, state: 'missing', servers: 0 }]
  })
}
