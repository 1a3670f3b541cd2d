// One note about the files of the current folder that are not used because they are not approved.

import type { LoadedConfig } from '../config/load.ts'
import { oneLine, shortPath } from './output/text.ts'

const UNUSED = ['unapproved', 'changed', 'refused']

/** Undefined where there is nothing to say. */
export function projectNote({ project, sources }: LoadedConfig, home: string): string | undefined {
  const own = project !== undefined && UNUSED.includes(project.state) ? [project.file] : []
  const clients = sources.filter(({ state }) => UNUSED.includes(state)).map(({ path }) => path)
  const files = [...new Set([...own, ...clients])].map((file) => oneLine(shortPath(file, home)))
  if (files.length === 0) return undefined
  const next = '`toolcrib trust` shows what would run, and asks.'
  if (files.length === 1 && project?.state === 'changed') {
    const on = project.at === undefined ? '' : ` on ${project.at.slice(0, 10)}`
    return `${files[0]} has changed since you approved it${on}, so it is not used. ${next}`
  }
  return `${files.join(', ')} ${files.length === 1 ? 'is not approved, so it is' : 'are not approved, so they are'} not used. ${next}`
}
