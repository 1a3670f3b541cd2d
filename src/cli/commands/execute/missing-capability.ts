// Rewrites the error of a tool that needs a client capability which the command line does not have.

import { isRecord } from '../../../core/is-record.ts'
import type { CommandError } from '../../../core/result.ts'

const CAPABILITY_MISSING = 'CLIENT_CAPABILITY_MISSING'

/** `what` is the name of the tool. `wantedModel`: its server sent a sampling request while the tool ran. */
export function withClientNeeds(error: CommandError, what: string, wantedModel: boolean): CommandError {
  const needed = isRecord(error.details) ? error.details.requiredCapabilities : undefined
  const needs = (capability: string) =>
    error.code === CAPABILITY_MISSING && isRecord(needed) && Object.hasOwn(needed, capability)
  if ((wantedModel && error.code === 'TOOL_EXECUTION_ERROR') || needs('sampling')) {
    return {
      ...error,
      code: CAPABILITY_MISSING,
      message: `${what} asks the model of the client (sampling), and the command line has no model`,
      suggestion: 'Call it from a client that supports sampling; `toolcrib install` lists clients.',
    }
  }
  if (!needs('elicitation')) return error
  return {
    ...error,
    message: `${what} asks the user questions (elicitation), and no person can be asked`,
    suggestion: 'Run it on a terminal, without --json.',
  }
}
