// Says in each result which call it answers: its trace id, when it began, and the version of the command that ran.

import type { CommandContext, Middleware } from '../../core/call.ts'
import { withMetadata } from '../../core/result.ts'

export interface TracingOptions {
  /** Gives the rest of the chain, and the result, another trace id than the dispatcher's. */
  createId?(context: CommandContext): string
}

export function tracing({ createId }: TracingOptions = {}): Middleware {
  return async (_commandName, _input, context, next) => {
    const timestamp = new Date().toISOString()
    const traceId = createId === undefined ? context.traceId : createId(context)
    const { version } = context.command
    const result = withMetadata(await next({ ...context, traceId }), {
      timestamp,
      ...(version === undefined ? {} : { commandVersion: version }),
    })
    // A handler may pass on a result with the trace id of somebody else's call; ours is the one the logs know.
    return { ...result, metadata: { ...result.metadata, traceId } }
  }
}
