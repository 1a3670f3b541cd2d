// Formats one line for each file that servers are read from: whether it is used, or why not.

import type { SourceReport, SourceState } from '../../config/load/import-sources.ts'
import type { ProjectReport } from '../../config/load/project-config.ts'
import type { Output } from './output.ts'
import { count, oneLine, shortPath } from './text.ts'

/** Why the file of a client is not used. */
export const SOURCE_NOT_USED: Readonly<Record<Exclude<SourceState, 'used'>, string>> = {
  missing: 'not found',
  unreadable: 'cannot be read',
  unapproved: 'not approved; run `toolcrib trust` to review it',
  refused: 'another user owns it or can write to it; `toolcrib config validate --verbose` shows what to do',
  repeated: 'already read',
}

export function sourceLine(report: SourceReport, home: string, { paint }: Output, isCounted = true): string {
  const { type, path, state, servers } = report
  const where = `${type} (${oneLine(shortPath(path, home))})`
  return state === 'used'
    ? `${paint.green('✓')} ${where}${isCounted ? ` - ${count(servers, 'server')}` : ''}`
    : `${paint.red('✗')} ${where} - ${SOURCE_NOT_USED[state]}`
}

/** Why the config of the current folder is not used. */
export const PROJECT_NOT_USED: Readonly<Record<Exclude<ProjectReport['state'], 'used'>, string>> = {
  unapproved: 'not approved; run `toolcrib trust` to review it',
  changed: 'changed since it was approved; run `toolcrib trust` to review it',
  refused: 'another user owns it or can write to it; `toolcrib trust` shows what to do',
  unreadable: 'cannot be read',
  invalid: 'has errors; `toolcrib config validate` lists them',
}

/** The line for the config of the current folder. */
export function projectLine({ file, state, servers }: ProjectReport, home: string, { paint }: Output): string {
  const where = `project (${oneLine(shortPath(file, home))})`
  return state === 'used'
    ? `${paint.green('✓')} ${where} - ${count(servers, 'server')}`
    : `${paint.red('✗')} ${where} - ${PROJECT_NOT_USED[state]}`
}
