// Converts the outcome of a call without a result to a failure.

import { fail } from '../../core/errors.ts'
import type { FailureResult } from '../../core/result.ts'
import type { ToolResult } from '../../core/tool.ts'
import type { LoginRequired } from './auth/login-required.ts'
import type { CallOutcome } from './call-outcome.ts'

interface FailedCall {
  readonly server: string
  readonly tool: string
  /** Replaces the advice to run `toolcrib doctor` if that would not help, or if no config has the server. */
  readonly remedy?: string | undefined
  /** The end of the server's output on stderr. */
  readonly stderr: string
}

export function toFailure(
  { server, tool, stderr, remedy }: FailedCall,
  outcome: Exclude<CallOutcome, { kind: 'answered' | 'asked' }>,
): ToolResult {
  const details = { server, tool }
  switch (outcome.kind) {
    case 'cancelled':
      return fail('CANCELLED', { name: tool }, { details })
    case 'login':
      return loginFailure(outcome.needed, tool)
    case 'late':
      return fail('TIMEOUT', { name: tool, afterMs: outcome.afterMs }, { details })
    case 'unanswered': {
      const { capability } = outcome
      const requiredCapabilities = { [capability]: {} }
      return fail(
        'CLIENT_CAPABILITY_MISSING',
        { name: tool, capabilities: [capability] },
        { details: { ...details, requiredCapabilities } },
      )
    }
    case 'refused': {
      const { reason, rpcCode } = outcome
      const more = rpcCode === undefined ? {} : { rpcCode }
      return fail('TOOL_EXECUTION_ERROR', { server, name: tool, reason }, { details: { ...details, ...more } })
    }
    case 'lost': {
      const { reason, taken } = outcome
      const more = stderr === '' ? {} : { stderr }
      if (!taken) return unavailable({ server, tool, remedy }, reason, 0)
      return fail('SERVER_LOST', { server, name: tool, reason }, { details: { ...details, ...more } })
    }
  }
}

export function loginFailure(needed: LoginRequired, tool: string): FailureResult {
  const { server, command, message: reason } = needed
  return fail('AUTH_REQUIRED', { server, reason, command }, { details: { server, tool, command } })
}

export function unavailable(
  { server, tool, remedy }: Pick<FailedCall, 'server' | 'tool' | 'remedy'>,
  reason: string,
  /** Undefined if a retry does not help without the remedy. */
  retryAfterMs?: number,
): FailureResult {
  const when = retryAfterMs === undefined ? {} : { retryAfterMs }
  const data = { server, reason, ...when, ...(remedy === undefined ? {} : { remedy }) }
  return fail('SERVER_UNAVAILABLE', data, { details: { server, tool, ...when } })
}
