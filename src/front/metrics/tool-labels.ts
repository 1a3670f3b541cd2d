// The labels of a call in metrics. Their number is limited, because each combination of labels needs memory.

import { type ErrorCode, errors } from '../../core/errors.ts'
import type { ObservedCall } from '../../crib/recorders.ts'

interface CallLabels {
  readonly server: string
  readonly tool: string
  readonly code: string
}

/** The errors of calls with a name that does not identify one tool for the caller. This name can be any text. */
const UNKNOWN_NAME: ReadonlySet<string> = new Set<ErrorCode>([
  'SERVER_NOT_FOUND',
  'TOOL_NOT_FOUND',
  'TOOL_AMBIGUOUS',
  'COMMAND_NOT_FOUND',
])
const UNKNOWN = 'unknown'
const OTHER = 'other'

/** After `maxTools` tools, further tools share the label `other`. The same number limits the servers. */
export function createToolLabels(
  maxTools: number,
): (call: Pick<ObservedCall, 'server' | 'tool' | 'result'>) => CallLabels {
  const tools = new Set<string>()
  const servers = new Set<string>()
  const isAdmitted = (set: Set<string>, key: string) => {
    if (set.has(key)) return true
    if (set.size >= maxTools) return false
    set.add(key)
    return true
  }
  return ({ server, tool, result }) => {
    const code = codeOf(result)
    if (UNKNOWN_NAME.has(code)) return { server: UNKNOWN, tool: UNKNOWN, code }
    if (!isAdmitted(servers, server)) return { server: OTHER, tool: OTHER, code }
    return { server, tool: isAdmitted(tools, JSON.stringify([server, tool])) ? tool : OTHER, code }
  }
}

/** A command or a plugin may return a code of its own. */
function codeOf({ success, error }: ObservedCall['result']): string {
  if (success) return 'ok'
  return error !== undefined && Object.hasOwn(errors, error.code) ? error.code : OTHER
}
