import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { takeSnapshot } from '../catalog/snapshot.ts'
import type { ToolEntry } from '../core/tool.ts'
import { entryOf } from '../sources/source.fixture.ts'
import { type Group, type GroupBy, groupTools, guardGroupBy } from './groups.ts'

const byCategory: GroupBy = (command) => command.category

function groupsOf(entries: readonly ToolEntry[], groupBy: GroupBy = byCategory): readonly Group[] {
  return groupTools(takeSnapshot([{ sourceId: 's', entries }]), groupBy)
}

/** `{ group: { action: name } }`. */
function shapeOf(groups: readonly Group[]): Record<string, Record<string, string>> {
  return Object.fromEntries(
    groups.map(({ name, actions }) => [
      name,
      Object.fromEntries([...actions].map(([action, tool]) => [action, tool.name])),
    ]),
  )
}

describe('groupTools', () => {
  it('groups by category in the order of the first member, and drops the category from the action', () => {
    const groups = groupsOf(['todo-create', 'order-list', 'todo-list'].map((name) => entryOf(name)))
    expect(groups.map((group) => group.name)).toEqual(['todo', 'order'])
    expect(shapeOf(groups)).toEqual({
      todo: { create: 'todo-create', list: 'todo-list' },
      order: { list: 'order-list' },
    })
  })

  it('names each action as its server names the tool, if there are several servers', () => {
    const entries = ['read_file', 'search'].map((name) => entryOf(name))
    const snapshot = takeSnapshot([
      { sourceId: 'files', entries },
      { sourceId: 'web', entries: [entryOf('search')] },
    ])
    expect(shapeOf(groupTools(snapshot, byCategory))).toEqual({
      files: { read_file: 'read_file', search: 'search' },
      web: { search: 'search' },
    })
  })

  it('keeps the complete name if it does not begin with the category as a whole word', () => {
    const groups = groupsOf([
      entryOf('order-audit', { category: 'admin' }),
      entryOf('admin-reset'),
      entryOf('administer', { category: 'admin' }),
    ])
    expect(shapeOf(groups)).toEqual({
      admin: { 'order-audit': 'order-audit', reset: 'admin-reset', administer: 'administer' },
    })
  })

  it('shortens a name by a category of several words only if the name begins with all of them', () => {
    const groups = groupsOf([
      entryOf('time-entry-start', { category: 'time-entry' }),
      entryOf('time-report', { category: 'time-entry' }),
    ])
    expect(shapeOf(groups)).toEqual({ 'time-entry': { start: 'time-entry-start', 'time-report': 'time-report' } })
  })

  it('makes a name of one word the action of a group with the same name', () => {
    expect(shapeOf(groupsOf([entryOf('analytics')]))).toEqual({ analytics: { analytics: 'analytics' } })
  })

  it('gives complete names to actions that would collide', () => {
    const groups = groupsOf([entryOf('todo-create'), entryOf('create', { category: 'todo' }), entryOf('todo-list')])
    expect(shapeOf(groups)).toEqual({ todo: { 'todo-create': 'todo-create', create: 'create', list: 'todo-list' } })
  })

  it('does not shorten a name to the complete name of another tool', () => {
    const groups = groupsOf([entryOf('todo-create'), entryOf('todo-todo-create')])
    expect(shapeOf(groups)).toEqual({ todo: { create: 'todo-create', 'todo-todo-create': 'todo-todo-create' } })
  })

  it('groups by the groupBy function, and by category if groupBy returns undefined or an empty text', () => {
    const groupBy: GroupBy = ({ name, tags }) => (name === 'x-none' ? undefined : name === 'x-empty' ? '' : tags?.[0])
    const entries = [
      entryOf('todo-create', { tags: ['work'] }),
      entryOf('order-list', { tags: ['work'] }),
      entryOf('x-none', { tags: ['work'] }),
      entryOf('x-empty', { tags: ['work'] }),
    ]
    expect(shapeOf(groupsOf(entries, groupBy))).toEqual({
      work: { 'todo-create': 'todo-create', 'order-list': 'order-list' },
      x: { none: 'x-none', empty: 'x-empty' },
    })
  })

  it('passes the declared fields of each command to groupBy', () => {
    const seen: unknown[] = []
    const groupBy: GroupBy = (command) => {
      seen.push(command)
      return command.mutation === true ? 'write' : 'read'
    }
    const entries = [
      entryOf('todo-create', { title: 'New', traits: { mutation: true, version: '2.0.0', contexts: ['home'] } }),
      entryOf('todo-list', { tags: ['work'] }),
    ]
    expect(shapeOf(groupsOf(entries, groupBy))).toEqual({
      write: { 'todo-create': 'todo-create' },
      read: { 'todo-list': 'todo-list' },
    })
    const { description, inputSchema } = entryOf('todo-create')
    expect(seen[0]).toEqual({
      name: 'todo-create',
      title: 'New',
      description,
      category: 'todo',
      inputSchema,
      mutation: true,
      version: '2.0.0',
      contexts: ['home'],
    })
  })

  it('leaves built-ins out of every group', () => {
    const entries = [
      entryOf('todo-create'),
      entryOf('todo-help', { builtin: true }),
      entryOf('afd-help', { builtin: true }),
    ]
    expect(shapeOf(groupsOf(entries))).toEqual({ todo: { create: 'todo-create' } })
  })

  it('gives each category a legal and unique group name, and keeps the category as the title of the group', () => {
    const groups = groupsOf([
      entryOf('time-start', { category: 'Time Tracking' }),
      entryOf('money-start', { category: 'Geld & Güter' }),
      entryOf('a', { category: 'Time/Tracking' }),
      entryOf('b', { category: 'x'.repeat(80) }),
    ])
    expect(groups.map((group) => group.title)).toEqual([
      'Time Tracking',
      'Geld & Güter',
      'Time/Tracking',
      'x'.repeat(80),
    ])
    const names = groups.map((group) => group.name)
    expect(new Set(names).size).toBe(4)
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_.-]{1,64}$/)
    expect(names[1]).toBe('Geld___G_ter')
  })

  it('puts every command into exactly one group under exactly one action', () => {
    const word = fc.constantFrom('todo', 'create', 'list', 'a')
    const name = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join('-'))
    const tools = fc.uniqueArray(fc.record({ name, category: fc.option(word, { nil: undefined }) }), {
      selector: (tool) => tool.name,
      maxLength: 12,
    })
    fc.assert(
      fc.property(tools, (given) => {
        const entries = given.map((one) =>
          entryOf(one.name, one.category === undefined ? {} : { category: one.category }),
        )
        const groups = groupsOf(entries)
        const members = groups.flatMap((group) => [...group.actions.values()].map((tool) => tool.name))
        expect(members.sort()).toEqual(given.map((one) => one.name).sort())
        for (const { title, actions } of groups) {
          for (const [action, tool] of actions) {
            expect(tool.category).toBe(title)
            expect([tool.name, tool.name.replace(`${title}-`, '')]).toContain(action)
            // The complete name of one member is never the action of another.
            for (const other of actions.values()) if (other !== tool) expect(action).not.toBe(other.name)
          }
        }
      }),
    )
  })
})

describe('guardGroupBy', () => {
  const command = (name: string) => ({ name, description: 'Does it.', category: 'todo', inputSchema: {} })
  const faultsOf = (groupBy: unknown, names: readonly string[]) => {
    const faults: string[] = []
    // A value that only untyped code can pass.
    const guarded = guardGroupBy(groupBy as GroupBy, (error, name) => faults.push(`${name}: ${error.message}`))
    return { groups: names.map((name) => guarded(command(name))), faults }
  }

  it('returns a name or undefined from groupBy unchanged, and reports no fault', () => {
    const groupBy: GroupBy = ({ name }) => (name === 'b' ? undefined : 'work')
    expect(faultsOf(groupBy, ['a', 'b'])).toEqual({ groups: ['work', undefined], faults: [] })
  })

  it.each([
    [7, 'returned 7'],
    [null, 'returned null'],
    ['', "returned ''"],
    [{}, 'returned an object'],
  ])('treats the value %j from groupBy as undefined, and reports it', (given, reason) => {
    const { groups, faults } = faultsOf(() => given, ['a'])
    expect(groups).toEqual([undefined])
    expect(faults).toEqual([expect.stringContaining(reason)])
  })

  it('reports the Error object that groupBy throws, once for each command', () => {
    const boom = new Error('boom')
    const errors: unknown[] = []
    const guarded = guardGroupBy(
      () => {
        throw boom
      },
      (error) => errors.push(error),
    )
    for (const name of ['a', 'b', 'a', 'b']) expect(guarded(command(name))).toBeUndefined()
    expect(errors).toEqual([boom, boom])
  })

  it('reports an Error if groupBy throws a value that is not an Error', () => {
    const { groups, faults } = faultsOf(() => {
      throw 'a plain text'
    }, ['a'])
    expect(groups).toEqual([undefined])
    expect(faults).toEqual(['a: a plain text'])
  })
})
