// afd-context-list, -enter and -exit: built-in commands for the contexts of a server. Also checks their definitions.

import { z } from 'zod'
import type { CommandContext, ContextControl, ContextDefinition } from '../../core/call.ts'
import { aListOf, aNumber, aText, type Check, expecting, findFieldFault } from '../../core/check-fields.ts'
import { raise } from '../../core/errors.ts'
import { isRecord } from '../../core/is-record.ts'
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
    defineSessionBuiltin({
      name: `${prefix}-context-enter`,
      description: 'Enter a context: only its commands, and those of no context, stay available in this session.',
      mutation: true,
      destructive: false,
      input: z.object({ context: z.string().min(1) }),
      handler: ({ context: name }, context) => controlOf(context).enter(name),
    }),
    defineSessionBuiltin({
      name: `${prefix}-context-exit`,
      description: 'Leave the active context: all commands are available again.',
      mutation: true,
      destructive: false,
      input: z.object({}),
      handler: (_input, context) => controlOf(context).exit(),
    }),
  ]
}

/** Defines a builtin that can be called only in a session, because it changes the session. */
const defineSessionBuiltin: typeof defineBuiltin = (options) => ({ ...defineBuiltin(options), needsSession: true })

/** Checks the fields, and that names are unique. Returns the contexts sorted by priority, highest first. */
export function checkContexts(contexts: readonly ContextDefinition[]): readonly ContextDefinition[] {
  const refuse = (reason: string, todo: string) => raise('INVALID_OPTIONS', { what: 'contexts', reason, todo })
  const reason = aListOf(aNamedObject, 'contexts')(contexts)
  if (reason !== undefined) refuse(reason, "Give contexts: [{ name: 'sales' }, …].")
  const names = new Set<string>()
  contexts.forEach((context, index) => {
    const fault = findFieldFault(context, FIELDS)
    if (fault !== undefined) {
      const field = fault.field === undefined ? '' : `\`${fault.field}\`: `
      refuse(`entry ${index + 1}: ${field}${fault.reason}`, fault.todo)
    }
    if (names.has(context.name)) refuse(`two are named '${context.name}'`, 'Give each context a different name.')
    names.add(context.name)
  })
  return [...contexts].sort((a, b) => (b.priority ?? 0) - (a.priority ?? 0))
}

const aNamedObject = expecting(
  'an object with a name',
  (value) => isRecord(value) && typeof value.name === 'string' && value.name !== '',
)

const FIELDS = {
  name: aText,
  description: aText,
  triggers: aListOf(aText, 'texts'),
  priority: aNumber,
} satisfies Record<keyof ContextDefinition, Check>

function controlOf(context: CommandContext): ContextControl {
  if (context.contexts === undefined) throw new Error('This server has no contexts.')
  return context.contexts
}
