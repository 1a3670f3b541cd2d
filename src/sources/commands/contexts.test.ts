import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CommandContext, ContextControl } from '../../core/call.ts'
import { success } from '../../core/result.ts'
import { contextOf } from '../source.fixture.ts'
import { namesOf } from './command.fixture.ts'
import { checkContexts, createContextCommands } from './contexts.ts'

/** A context control that logs its calls. */
function controlOf(active?: string): ContextControl & { readonly log: string[] } {
  const log: string[] = []
  return {
    log,
    all: [{ name: 'billing', triggers: ['invoice'] }, { name: 'support' }],
    active,
    enter: async (context) => {
      log.push(`enter ${context}`)
      return success({ context })
    },
    exit: async () => {
      log.push('exit')
      return success({ context: null })
    },
  }
}

function run(name: string, input: unknown, context: CommandContext): Promise<unknown> {
  const command = createContextCommands('afd').find((one) => one.name === name)
  if (command === undefined) throw new Error(`no ${name}`)
  return command.handler(input, context)
}

describe('the context commands', () => {
  it('creates three built-ins with the prefix of the server', () => {
    const commands = createContextCommands('acme')
    expect(namesOf(commands)).toEqual(['acme-context-list', 'acme-context-enter', 'acme-context-exit'])
    expect(commands.every((command) => command.builtin === true)).toBe(true)
  })

  it('marks each context command as read-only or changing', () => {
    expect(createContextCommands('afd').map((command) => command.mutation)).toEqual([false, true, true])
  })

  it('lists all contexts and the active one, or null', async () => {
    const inside = controlOf('support')
    expect(await run('afd-context-list', {}, contextOf({ contexts: inside }))).toEqual(
      success({ contexts: inside.all, active: 'support' }),
    )
    expect(await run('afd-context-list', {}, contextOf({ contexts: controlOf() }))).toMatchObject({
      data: { active: null },
    })
  })

  it('enters and leaves a context through the control of the session', async () => {
    const control = controlOf()
    await run('afd-context-enter', { context: 'billing' }, contextOf({ contexts: control }))
    await run('afd-context-exit', {}, contextOf({ contexts: control }))
    expect(control.log).toEqual(['enter billing', 'exit'])
  })

  it('rejects context commands on a server without contexts', async () => {
    for (const command of createContextCommands('afd')) {
      await expect(command.handler({ context: 'billing' }, contextOf())).rejects.toThrow('no contexts')
    }
  })
})

describe('checkContexts', () => {
  it('sorts contexts by priority, highest first, and keeps the given order otherwise', () => {
    const checked = checkContexts([
      { name: 'a' },
      { name: 'low', priority: -1 },
      { name: 'high', priority: 5 },
      { name: 'b', priority: 0 },
    ])
    expect(namesOf(checked)).toEqual(['high', 'a', 'b', 'low'])
  })

  it('keeps every context unchanged, and does not change the given list', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.record({ name: fc.string({ minLength: 1 }), priority: fc.integer() }), {
          selector: (context) => context.name,
        }),
        (contexts) => {
          const given = structuredClone(contexts)
          const checked = checkContexts(contexts)
          expect(contexts).toEqual(given)
          expect(new Set(checked)).toEqual(new Set(contexts))
          const priorities = checked.map((context) => context.priority ?? 0)
          expect(priorities).toEqual(priorities.toSorted((a, b) => b - a))
        },
      ),
    )
  })

  it('refuses two contexts with the same name, and one without a name', () => {
    expect(() => checkContexts([{ name: 'a' }, { name: 'a' }])).toThrow("two are named 'a'")
    expect(() => checkContexts([{ name: '' }])).toThrow('entry 1: expected an object with a name')
  })

  it.each([
    ['sales', "expected a list of contexts, found 'sales'"],
    [[{ description: 'x' }], 'entry 1: expected an object with a name'],
    [[{ name: 'a' }, 'b'], "entry 2: expected an object with a name, found 'b'"],
    [[{ name: 'a', priority: 'high' }], "entry 1: `priority`: expected a number, found 'high'"],
    [[{ name: 'a', triggers: 'buy' }], "entry 1: `triggers`: expected a list of texts, found 'buy'"],
    [[{ name: 'a', trigers: [] }], "entry 1: 'trigers' is not one of its fields. Did you mean 'triggers'?"],
  ])('refuses %o with the reason', (contexts, message) => {
    // A program without types can pass this.
    expect(() => checkContexts(contexts as never)).toThrow(`Invalid contexts: ${message}`)
  })
})
