// The files that servers are read from, with what came of each.

import type { SourceReport, SourceState } from '../../config/import-sources.ts'
import type { Output } from '../output/output.ts'
import { count, oneLine, shortPath } from '../output/text.ts'

const WHY: Readonly<Record<Exclude<SourceState, 'used'>, string>> = {
  missing: 'not found',
  unreadable: 'cannot be read',
  unapproved: 'comes with the project; `toolcrib import` approves it',
  repeated: 'read already',
}

export function sourceLine(report: SourceReport, home: string, { paint }: Output, isCounted = true): string {
  const { type, path, state, servers } = report
  const where = `${type} (${oneLine(shortPath(path, home))})`
  return state === 'used'
    ? `${paint.green('✓')} ${where}${isCounted ? ` - ${count(servers, 'server')}` : ''}`
    : `${paint.red('✗')} ${where} - ${WHY[state]}`
}
