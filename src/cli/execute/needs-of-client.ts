// A tool that failed because it needs a client that can be asked, in the words of the command line.

import type { CommandError } from '../../core/result.ts'
import { isRecord } from '../../core/schema.ts'

/** `wantedModel`: the server asked for one while the tool ran. */
export function withClientNeeds(error: CommandError, what: string, wantedModel: boolean): CommandError {
  const needed = isRecord(error.details) ? error.details.requiredCapabilities : undefined
  const needs = (capability: string) => error.code === CODE && isRecord(needed) && Object.hasOwn(needed, capability)
  if ((wantedModel && error.code === 'TOOL_EXECUTION_ERROR') || needs('sampling')) {
    return {
      ...error,
      code: CODE,
      message: `${what} needs a model behind the client to answer it (sampling), and the command line has none`,
      suggestion: 'Call it through a client that lets servers ask its model; `toolcrib install` lists clients.',
    }
  }
  if (!needs('elicitation')) return error
  return {
    ...error,
    message: `${what} needs someone to answer its questions (elicitation), and nobody can be asked here`,
    suggestion: 'Run it on a terminal, without --json: there you are asked.',
  }
}

const CODE = 'CLIENT_CAPABILITY_MISSING'
