import { describe, expect, it } from 'vitest'
import { ToolcribError } from '../../core/errors.ts'
import { commandOf, namesOf } from './command.fixture.ts'
import { createCommandSet } from './command-set.ts'

function codeOf(action: () => void): string | undefined {
  try {
    action()
  } catch (error) {
    return error instanceof ToolcribError ? error.code : String(error)
  }
  return undefined
}

describe('a command set', () => {
  it('keeps commands by name, in the order of registration', () => {
    const create = commandOf('todo-create')
    const set = createCommandSet([create])
    set.register(commandOf('todo-list'), commandOf('a'))
    expect(namesOf(set.list())).toEqual(['todo-create', 'todo-list', 'a'])
    expect(set.get('todo-create')).toBe(create)
    expect(set.get('todo-delete')).toBeUndefined()
    expect([set.has('a'), set.has('b'), set.has('__proto__')]).toEqual([true, false, false])
  })

  it('refuses a command if its name is already registered, and shows the name', () => {
    const set = createCommandSet([commandOf('todo-create')])
    expect(() => set.register(commandOf('todo-create'))).toThrow("'todo-create'")
    expect(codeOf(() => set.register(commandOf('todo-create')))).toBe('DUPLICATE_COMMAND')
  })

  it('refuses a list that contains the same name twice', () => {
    expect(codeOf(() => createCommandSet([commandOf('a'), commandOf('a')]))).toBe('DUPLICATE_COMMAND')
  })

  it('refuses a value that is not a command, and shows its position in the list', () => {
    const set = createCommandSet()
    // A program without types can pass this.
    const wrong = [undefined, null, 'todo', { name: 'todo-list' }] as never[]
    for (const one of wrong) {
      expect(() => set.register(commandOf('a'), one)).toThrow(
        /entry 2: expected the result of defineCommand\(\), found (nothing|null|'todo'|an object)/,
      )
    }
    expect(set.list()).toEqual([])
  })

  it('registers all commands of a list or none, and calls no listener if it registers none', () => {
    const set = createCommandSet([commandOf('b')])
    let notified = 0
    set.onChange(() => notified++)
    expect(codeOf(() => set.register(commandOf('a'), commandOf('b'), commandOf('c')))).toBe('DUPLICATE_COMMAND')
    expect(namesOf(set.list())).toEqual(['b'])
    expect(notified).toBe(0)
  })

  it('returns a copy of its list, so that callers cannot change it', () => {
    const set = createCommandSet([commandOf('a')])
    const list = set.list() as unknown[] // a caller without types can do this
    list.push('rubbish')
    expect(namesOf(set.list())).toEqual(['a'])
  })

  it('calls each listener once per registration, until it unsubscribes', () => {
    const set = createCommandSet()
    let notified = 0
    const stop = set.onChange(() => notified++)
    set.register(commandOf('a'), commandOf('b'))
    expect(notified).toBe(1)
    stop()
    set.register(commandOf('c'))
    expect(notified).toBe(1)
  })
})

describe('a listener that throws', () => {
  it('a listener that throws does not stop the registration or the other listeners', () => {
    const set = createCommandSet()
    let notified = 0
    set.onChange(() => {
      throw new Error('listener')
    })
    set.onChange(() => notified++)
    codeOf(() => set.register(commandOf('a')))
    expect(set.has('a')).toBe(true)
    expect(notified).toBe(1)
  })
})

describe('listing a command set', () => {
  const set = createCommandSet([
    commandOf('todo-create', { tags: ['crud', 'write'] }),
    commandOf('todo-list', { tags: ['crud', 'read'] }),
    commandOf('order-audit', { category: 'todo', tags: ['read'] }),
    commandOf('analytics'),
  ])

  it('lists the commands of a category: the given one, or the first word of the name', () => {
    expect(namesOf(set.listByCategory('todo'))).toEqual(['todo-create', 'todo-list', 'order-audit'])
    expect(namesOf(set.listByCategory('order'))).toEqual([])
    expect(namesOf(set.listByCategory('analytics'))).toEqual(['analytics'])
  })

  it('lists commands with any of the tags by default, and with all of them on request', () => {
    expect(namesOf(set.listByTags(['write', 'read']))).toEqual(['todo-create', 'todo-list', 'order-audit'])
    expect(namesOf(set.listByTags(['crud', 'read'], 'any'))).toEqual(['todo-create', 'todo-list', 'order-audit'])
    expect(namesOf(set.listByTags(['crud', 'read'], 'all'))).toEqual(['todo-list'])
    expect(namesOf(set.listByTags(['none']))).toEqual([])
  })

  it("lists no command for an empty list of tags with mode 'any', and every command with mode 'all'", () => {
    expect(namesOf(set.listByTags([], 'any'))).toEqual([])
    expect(set.listByTags([], 'all')).toHaveLength(4)
  })

  it('exposes a command without `expose` to the palette and to agents, but not to mcp and the cli', () => {
    const exposed = createCommandSet([
      commandOf('silent'),
      commandOf('remote', { expose: { mcp: true, palette: false } }),
      commandOf('hidden', { expose: { palette: false, agent: false, mcp: false, cli: false } }),
      commandOf('shell', { expose: { cli: true } }),
    ])
    expect(namesOf(exposed.listByExposure('palette'))).toEqual(['silent', 'shell'])
    expect(namesOf(exposed.listByExposure('agent'))).toEqual(['silent', 'remote', 'shell'])
    expect(namesOf(exposed.listByExposure('mcp'))).toEqual(['remote'])
    expect(namesOf(exposed.listByExposure('cli'))).toEqual(['shell'])
  })
})
