// Formats parts of a configuration on one line each: a file with servers, and the connection of a server.

import { REFUSAL_REASON } from '../../config/approval.ts'
import { kindOf } from '../../config/connection-kinds.ts'
import type { SourceReport, SourceState } from '../../config/load/import-sources.ts'
import type { ProjectReport } from '../../config/load/project-config.ts'
import type { Connection } from '../../config/server-config.ts'
import { maskSecrets } from '../../setup/files/write-secrets.ts'
import type { Output } from './output.ts'
import { count, oneLine, visible } from './text.ts'

/** The reason why the file of a client is not used, by its state. */
export const SOURCE_NOT_USED: Readonly<Record<Exclude<SourceState, 'used'>, string>> = {
  missing: 'not found',
  unreadable: 'cannot be read',
  unapproved: 'not approved; run `toolcrib trust` to review it',
  refused: `${REFUSAL_REASON}; \`toolcrib config validate --verbose\` shows what to do`,
  repeated: 'already read',
}

export function sourceLine(report: SourceReport, output: Output, isCounted = true): string {
  const { type, path, state, servers } = report
  const where = `${type} (${output.path(path)})`
  if (state !== 'used') return `${output.paint.red('✗')} ${where} - ${SOURCE_NOT_USED[state]}`
  return `${output.paint.green('✓')} ${where}${isCounted ? ` - ${count(servers, 'server')}` : ''}`
}

/** The reason why the config of the current folder is not used, by its state. */
export const PROJECT_NOT_USED: Readonly<Record<Exclude<ProjectReport['state'], 'used'>, string>> = {
  unapproved: 'not approved; run `toolcrib trust` to review it',
  changed: 'changed since it was approved; run `toolcrib trust` to review it',
  refused: `${REFUSAL_REASON}; \`toolcrib trust\` shows what to do`,
  unreadable: 'cannot be read',
  invalid: 'has errors; `toolcrib config validate` lists them',
}

export function projectLine({ file, state, servers }: ProjectReport, { paint, path }: Output): string {
  const where = `project (${path(file)})`
  return state === 'used'
    ? `${paint.green('✓')} ${where} - ${count(servers, 'server')}`
    : `${paint.red('✗')} ${where} - ${PROJECT_NOT_USED[state]}`
}

/** The connection of a server, with the names of its variables but not their values. */
export function connectionLine(connection: Connection): string {
  return maskedLine(maskSecrets(connection))
}

/** Like `connectionLine`, for a connection with secrets that are already masked. */
export function maskedLine(connection: Connection): string {
  const { target, notes } = kindOf(connection).summarize(connection)
  return oneLine(visible(`${target}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`))
}
