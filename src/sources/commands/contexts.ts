// afd-context-list, -enter and -exit: built-in commands over the server's contexts.

import { z } from 'zod'
import type { CommandContext, ContextControl, ContextDefinition } from '../../core/call.ts'
import { raise } from '../../core/errors.ts'
import { success } from '../../core/result.ts'
import { type Command, defineBuiltin } from './define.ts'

export function createContextCommands(prefix: string): readonly Command[] {
  return [
    defineBuiltin({
      name: `${prefix}-context-list`,
      description: 'List the contexts of this server and say which one is active.',
      mutation: false,
      input: z.object({}),
      handler: (_input, context) => {
        const { all, active } = controlOf(context)
        return success({ contexts: all, active: active ?? null })
      },
    }),
    defineBuiltin({
      name: `${prefix}-context-enter`,
      description: 'Enter a context: only its commands, and those of no context, stay available in this session.',
      mutation: true,
      destructive: false,
      input: z.object({ context: z.string().min(1) }),
      handler: ({ context: name }, context) => controlOf(context).enter(name),
    }),
    defineBuiltin({
      name: `${prefix}-context-exit`,
      description: 'Leave the active context: all commands are available again.',
      mutation: true,
      destructive: false,
      input: z.object({}),
      handler: (_input, context) => controlOf(context).exit(),
    }),
  ]
}

/** Highest priority first, then as given; names are unique. */
export function checkContexts(contexts: readonly ContextDefinition[]): readonly ContextDefinition[] {
  const names = new Set<string>()
  for (const { name } of contexts) {
    if (typeof name !== 'string' || name === '' || names.has(name)) {
      raise('INVALID_OPTIONS', {
        what: 'contexts',
        reason: names.has(name) ? `two are named '${name}'` : 'one has no name',
        todo: 'Give each context a name of its own.',
      })
    }
    names.add(name)
  }
  return [...contexts].sort((a, b) => (b.priority ?? 0) - (a.priority ?? 0))
}

function controlOf(context: CommandContext): ContextControl {
  if (context.contexts === undefined) throw new Error('This server has no contexts.')
  return context.contexts
}
