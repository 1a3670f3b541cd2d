// Client files of a project that the config in force does not name as a source. An approval alone has no effect on them.

import { realFiles } from '../../config/config-files.ts'
import type { LoadedConfig } from '../../config/load/load.ts'
import { valueByHand } from '../../setup/by-hand.ts'
import type { Output } from '../output/output.ts'

interface ClientFile {
  readonly path: string
  readonly client: string
}

/**
 * Returns no files in three cases: without a config (all clients are read), if discovery is off (no file is read), and
 * if the config has an error (its sources may be unknown).
 */
export function filesNotRead<File extends ClientFile>(
  files: readonly File[],
  { config, origin, isValid, sources }: LoadedConfig,
): readonly File[] {
  if (origin.kind === 'defaults' || !isValid || !config.discovery.enabled) return []
  const read = new Set(sources.map(({ path }) => realFiles.realPath(path)))
  return files.filter(({ path }) => !read.has(realFiles.realPath(path)))
}

/** The lines about the files that `filesNotRead` returned, with what to add to the config. */
export function notReadLines(
  files: readonly ClientFile[],
  { origin }: LoadedConfig,
  { path, wrap }: Output,
): readonly string[] {
  if (files.length === 0 || origin.kind === 'defaults') return []
  const config = path(origin.file)
  const clients = [...new Set(files.map(({ client }) => client))]
  const sources = clients.map((type) => `\`${valueByHand(origin.file, { type, scope: 'project' })}\``)
  const paths = files.map((one) => path(one.path)).join(' and ')
  const why = `${config} does not read ${paths}, so ${files.length === 1 ? 'its' : 'their'} servers are not used.`
  return wrap(`${why} Add ${sources.join(' and ')} to \`discovery.sources\` of ${config}.`)
}
