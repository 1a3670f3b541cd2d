// The errors of calls with a name that does not identify one tool for the caller. This name can be any text.

import type { ErrorCode } from './errors.ts'

export const UNKNOWN_NAME_CODES: ReadonlySet<unknown> = new Set<ErrorCode>([
  'SERVER_NOT_FOUND',
  'TOOL_NOT_FOUND',
  'TOOL_AMBIGUOUS',
  'COMMAND_NOT_FOUND',
])
