// Test fixture: a command context, and a middleware chain without a dispatcher.

import type { CommandContext, Middleware } from '../../core/call.ts'
import type { CommandResult } from '../../core/result.ts'

export function contextOf(fields: Partial<CommandContext> = {}): CommandContext {
  return {
    command: { name: 'order-list', category: 'order', mutation: false },
    caller: { principal: 'alice', sessionId: 's1', era: 'legacy', transport: 'http' },
    traceId: 'trace-1',
    signal: new AbortController().signal,
    progress: () => {},
    log: () => {},
    introspect: () => Promise.reject(new Error('not part of these tests')),
    ...fields,
  }
}

/** Runs the handler inside the chain, as the command of the context. The first middleware is the outermost. */
export function run(
  chain: readonly Middleware[],
  handler: (context: CommandContext) => Promise<CommandResult>,
  context: CommandContext = contextOf(),
): Promise<CommandResult> {
  const [first, ...rest] = chain
  if (first === undefined) return handler(context)
  return first(context.command.name, { secret: 'hunter2' }, context, (changed = context) => run(rest, handler, changed))
}
