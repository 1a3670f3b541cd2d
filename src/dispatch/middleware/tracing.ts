// Adds the trace id, the start time and the version of the command to the metadata of each result.

import type { CommandContext, Middleware } from '../../core/call.ts'

/** The options of `tracing`. */
export interface TracingOptions {
  /** Replaces the trace id of the call, for the rest of the chain and in the result. */
  createId?(context: CommandContext): string
}

/**
 * Middleware that adds `traceId`, `timestamp` and `commandVersion` to the metadata of each result.
 *
 * @example
 * ```ts
 * createCommandRegistry({ commands: [add], middleware: [tracing({ createId: () => crypto.randomUUID() })] })
 * ```
 */
export function tracing({ createId }: TracingOptions = {}): Middleware {
  return async (_commandName, _input, context, next) => {
    const timestamp = new Date().toISOString()
    const traceId = createId === undefined ? context.traceId : createId(context)
    const { version } = context.command
    const given = await (createId === undefined ? next() : next({ ...context, traceId }))
    const versioned = version === undefined ? {} : { commandVersion: version }
    // A handler may return a result with the trace id of another call. The logs contain the id of this call.
    return { ...given, metadata: { timestamp, ...versioned, ...given.metadata, traceId } }
  }
}
