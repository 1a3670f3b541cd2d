import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { entryOf } from '../sources/source.fixture.ts'
import { filterSnapshot, type SourceListing, takeSnapshot } from './snapshot.ts'
import { toolId } from './tool-id.ts'

function listing(sourceId: string, ...names: readonly string[]): SourceListing {
  return { sourceId, entries: names.map((name) => entryOf(name)) }
}

const two = takeSnapshot([listing('git', 'push', 'status'), listing('db', 'query', 'status')])

describe('a snapshot', () => {
  it('has the sources in the order of their names, however they are given, and keeps the order within each', () => {
    const given = [listing('z', 'b', 'a'), listing('a', 'd', 'c')]
    for (const listings of [given, given.toReversed()]) {
      expect(takeSnapshot(listings).tools.map((tool) => tool.id)).toEqual(['a:d', 'a:c', 'z:b', 'z:a'])
    }
  })

  it('lists bare names with one source and source__name with several', () => {
    expect(takeSnapshot([listing('git', 'push', 'status')]).names).toEqual(['push', 'status'])
    expect(two.names).toEqual(['db__query', 'db__status', 'git__push', 'git__status'])
  })

  it('keeps the names of one source where it is told to, but for those that are taken', () => {
    const only = [listing('git', 'do.it', 'do_it', 'taken')]
    const kept = takeSnapshot(only, { keepNames: true, reserved: ['taken'] }).names
    expect(kept.slice(0, 2)).toEqual(['do.it', 'do_it'])
    expect(kept[2]).toMatch(/^taken_/)
    expect(takeSnapshot([...only, listing('db', 'a.b')], { keepNames: true }).names).toContain('db__a_b')
  })

  it('names by how many sources there are, not by how many list something just now', () => {
    expect(takeSnapshot([listing('git', 'push'), listing('db')]).names).toEqual(['git__push'])
  })

  it('puts a tool that names no category under its server, and with one server under the first word of its name', () => {
    expect(two.categories).toEqual(['db', 'git'])
    expect(takeSnapshot([listing('git', 'branch-push', 'branch-list')]).categories).toEqual(['branch'])
  })

  it('never takes a tool of one source for that of another, whatever they are called', () => {
    for (const listings of [
      [listing('a', 'b:c'), listing('a:b', 'c')],
      [listing('a:b', 'c'), listing('a', 'b:c')],
    ]) {
      const snapshot = takeSnapshot(listings)
      expect(snapshot.get(toolId('a', 'b:c'))).toMatchObject({ sourceId: 'a', name: 'b:c' })
      expect(snapshot.get(toolId('a:b', 'c'))).toMatchObject({ sourceId: 'a:b', name: 'c' })
    }
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), fc.string()), { minLength: 2, maxLength: 5 }), (pairs) => {
        const different = new Set(pairs.map((pair) => JSON.stringify(pair))).size
        expect(new Set(pairs.map(([source, name]) => toolId(source, name))).size).toBe(different)
      }),
    )
  })

  it('finds a tool by its listed name, its bare name and its id', () => {
    for (const name of ['git__push', 'push', 'git:push']) expect(two.find(name)?.id).toBe('git:push')
    expect(two.get('git:push')?.name).toBe('push')
  })

  it('finds nothing by a bare name that several sources have, and each by its full one', () => {
    expect(two.find('status')).toBeUndefined()
    expect(two.find('git__status')?.sourceId).toBe('git')
    expect(two.find('db:status')?.sourceId).toBe('db')
    const three = takeSnapshot([listing('a', 'x'), listing('b', 'x'), listing('c', 'x')])
    expect(three.find('x')).toBeUndefined()
  })

  it('finds nothing by names that only objects have', () => {
    for (const name of ['', '__proto__', 'constructor', 'toString']) {
      expect(two.find(name)).toBeUndefined()
      expect(two.get(name)).toBeUndefined()
    }
  })

  it('prefers a listed name to the bare name that another source gave a tool to look like it', () => {
    const snapshot = takeSnapshot([listing('evil', 'git__push'), listing('git', 'push')])
    expect(snapshot.find('git__push')?.sourceId).toBe('git')
  })

  it('prefers an id to the bare name that another source gave a tool to look like it', () => {
    const snapshot = takeSnapshot([listing('evil', 'git:push'), listing('git', 'push')])
    expect(snapshot.find('git:push')?.sourceId).toBe('git')
  })

  it('lists no name twice, however sources and tools are named', () => {
    const snapshot = takeSnapshot([listing('a', 'b__c'), listing('a__b', 'c')])
    expect(new Set(snapshot.names).size).toBe(2)
  })

  it('lists only unique, legal names and finds each tool by its own', () => {
    const part = fc.string({ unit: fc.constantFrom('a', 'b', '_', ' ', '-', 'é'), minLength: 1, maxLength: 4 })
    const listings = fc.uniqueArray(fc.tuple(part, fc.uniqueArray(part, { maxLength: 5 })), {
      selector: ([sourceId]) => sourceId,
      maxLength: 4,
    })
    fc.assert(
      fc.property(listings, (given) => {
        const snapshot = takeSnapshot(given.map(([sourceId, names]) => listing(sourceId, ...names)))
        expect(new Set(snapshot.names).size).toBe(snapshot.tools.length)
        for (const tool of snapshot.tools) {
          expect(tool.listedName).toMatch(/^[A-Za-z0-9_.-]{1,64}$/)
          expect(snapshot.find(tool.listedName)).toBe(tool)
        }
      }),
    )
  })

  it('takes the category given, else the first word of the name', () => {
    const entries = [
      entryOf('todo-create'),
      entryOf('order-audit', { category: 'Admin' }),
      entryOf('analytics'),
      entryOf('todo-list'),
    ]
    const snapshot = takeSnapshot([{ sourceId: 's', entries }])
    expect(snapshot.tools.map((tool) => tool.category)).toEqual(['todo', 'Admin', 'analytics', 'todo'])
    expect(snapshot.categories).toEqual(['todo', 'Admin', 'analytics'])
  })

  it('takes the category of the author, else of a rule, else of several servers the server, else derives it', () => {
    const { defaultCategory: _first, ...plain } = entryOf('')
    const entries = ['create_issue', 'list_issues', 'get_repo', 'delete_repo', 'ping', 'echo'].map((name) => ({
      ...plain,
      name,
      ...(name === 'get_repo' ? { category: 'Repositories' } : {}),
    }))
    const decide = (_source: string, name: string) => ({
      enabled: true,
      tags: [],
      ...(name.endsWith('repo') || name === 'ping' ? { category: 'by rule' } : {}),
    })
    const categoriesOf = (...listings: Parameters<typeof takeSnapshot>) =>
      takeSnapshot(...listings).tools.map(({ category, isCategoryStated = false }) => [category, isCategoryStated])
    expect(categoriesOf([{ sourceId: 'hub', entries }], { decide })).toEqual([
      ['issue', false],
      ['issue', false],
      ['Repositories', true],
      ['by rule', true],
      ['by rule', true],
      ['general', false],
    ])
    const several = categoriesOf([{ sourceId: 'hub', entries }, listing('web', 'search')], { decide })
    expect(several.map(([category]) => category)).toEqual([
      'hub',
      'hub',
      'Repositories',
      'by rule',
      'by rule',
      'hub',
      'web',
    ])
  })

  it('takes an empty category for none', () => {
    const snapshot = takeSnapshot([{ sourceId: 's', entries: [entryOf('todo-create', { category: '' })] }])
    expect(snapshot.categories).toEqual(['todo'])
  })

  it('collects every tag once, in the order it first comes up', () => {
    const entries = [entryOf('a', { tags: ['x', 'y'] }), entryOf('b'), entryOf('c', { tags: ['y', 'z'] })]
    expect(takeSnapshot([{ sourceId: 's', entries }]).tags).toEqual(['x', 'y', 'z'])
  })

  it('is empty without sources', () => {
    expect(takeSnapshot([])).toMatchObject({ tools: [], names: [], categories: [], tags: [] })
  })
})

describe('filterSnapshot', () => {
  it('keeps the names that tools had, also where the filter leaves one source', () => {
    const filtered = filterSnapshot(two, (tool) => tool.sourceId === 'git')
    expect(filtered.names).toEqual(['git__push', 'git__status'])
  })

  it('keeps a hashed name hashed where what it fell together with is gone', () => {
    const whole = takeSnapshot([listing('s', 'a b', 'a_b')])
    const [first] = whole.names
    expect(filterSnapshot(whole, (tool) => tool.name === 'a b').names).toEqual([first])
  })

  it('counts, finds and names only what the filter keeps', () => {
    const entries = [entryOf('todo-create', { tags: ['a'] }), entryOf('order-list', { tags: ['b'] })]
    const filtered = filterSnapshot(takeSnapshot([{ sourceId: 's', entries }]), (tool) => tool.category === 'todo')
    expect(filtered.categories).toEqual(['todo'])
    expect(filtered.tags).toEqual(['a'])
    expect(filtered.find('order-list')).toBeUndefined()
    expect(filtered.get('s:order-list')).toBeUndefined()
  })

  it('leaves the snapshot it was given as it was', () => {
    filterSnapshot(two, () => false)
    expect(two.tools).toHaveLength(4)
  })
})
