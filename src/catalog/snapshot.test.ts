import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Tool } from '../core/tool.ts'
import { entryOf } from '../sources/source.fixture.ts'
import { filterSnapshot, type SourceListing, takeSnapshot } from './snapshot.ts'
import { toolId } from './tool-set.ts'

function listing(sourceId: string, ...names: readonly string[]): SourceListing {
  return { sourceId, entries: names.map((name) => entryOf(name)) }
}

const two = takeSnapshot([listing('git', 'push', 'status'), listing('db', 'query', 'status')])

describe('a snapshot', () => {
  it('sorts the sources by name and keeps the order of the tools within each source', () => {
    const given = [listing('z', 'b', 'a'), listing('a', 'd', 'c')]
    for (const listings of [given, given.toReversed()]) {
      expect(takeSnapshot(listings).tools.map((tool) => tool.id)).toEqual(['a:d', 'a:c', 'z:b', 'z:a'])
    }
  })

  it('lists bare names for one source and source__name for several sources', () => {
    expect(takeSnapshot([listing('git', 'push', 'status')]).names).toEqual(['push', 'status'])
    expect(two.names).toEqual(['db__query', 'db__status', 'git__push', 'git__status'])
  })

  it('keeps the names of a single source if `keepNames` is set, except reserved ones', () => {
    const only = [listing('git', 'do.it', 'do_it', 'taken')]
    const kept = takeSnapshot(only, { keepNames: true, reserved: ['taken'] }).names
    expect(kept.slice(0, 2)).toEqual(['do.it', 'do_it'])
    expect(kept[2]).toMatch(/^taken_/)
    expect(takeSnapshot([...only, listing('db', 'a.b')], { keepNames: true }).names).toContain('db__a_b')
  })

  it('decides about prefixes by the number of sources, even if a source lists no tool', () => {
    expect(takeSnapshot([listing('git', 'push'), listing('db')]).names).toEqual(['git__push'])
  })

  it('uses the source as the category of a tool without a category, or the first word of its name if there is one source', () => {
    expect(two.categories).toEqual(['db', 'git'])
    expect(takeSnapshot([listing('git', 'branch-push', 'branch-list')]).categories).toEqual(['branch'])
  })

  it('gives two tools different ids if their sources or their names differ', () => {
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

  it('finds no tool by a bare name that several sources have, and each tool by its full name', () => {
    expect(two.find('status')).toBeUndefined()
    expect(two.find('git__status')?.sourceId).toBe('git')
    expect(two.find('db:status')?.sourceId).toBe('db')
    const three = takeSnapshot([listing('a', 'x'), listing('b', 'x'), listing('c', 'x')])
    expect(three.find('x')).toBeUndefined()
  })

  it('finds no tool by an empty name or a name of the object prototype', () => {
    for (const name of ['', '__proto__', 'constructor', 'toString']) {
      expect(two.find(name)).toBeUndefined()
      expect(two.get(name)).toBeUndefined()
    }
  })

  it('prefers the listed name of a tool to an equal bare name of another source', () => {
    const snapshot = takeSnapshot([listing('evil', 'git__push'), listing('git', 'push')])
    expect(snapshot.find('git__push')?.sourceId).toBe('git')
  })

  it('prefers the id of a tool to an equal bare name of another source', () => {
    const snapshot = takeSnapshot([listing('evil', 'git:push'), listing('git', 'push')])
    expect(snapshot.find('git:push')?.sourceId).toBe('git')
  })

  it('lists no name twice if source and tool names combine to the same text', () => {
    const snapshot = takeSnapshot([listing('a', 'b__c'), listing('a__b', 'c')])
    expect(new Set(snapshot.names).size).toBe(2)
  })

  it('lists only unique, legal names and finds each tool by its listed name', () => {
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
          expect(tool.listedName).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
          expect(snapshot.find(tool.listedName)).toBe(tool)
        }
      }),
    )
  })

  it('uses the given category, or else the first word of the name', () => {
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

  it('uses the category of the author, then of a rule, then the source if there are several, then one derived from the name', () => {
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

  it('derives names and categories as if the hidden tools did not exist', () => {
    const entriesOf = (...names: readonly string[]) =>
      names.map((name) => {
        const { defaultCategory: _category, ...entry } = entryOf(name)
        return entry
      })
    const shown = ['do_it', 'office_note_add', 'office_note_list', 'office_file_read', 'office_file_find']
    const isHidden = (name: string) => !shown.includes(name)
    const decide = (_server: string, name: string) => ({ enabled: true, tags: [], isHidden: isHidden(name) })
    const hiding = takeSnapshot([{ sourceId: 's', entries: entriesOf(...shown, 'do.it', 'note_pin') }], { decide })
    const without = takeSnapshot([{ sourceId: 's', entries: entriesOf(...shown) }])
    const partsOf = ({ listedName, category }: Tool) => [listedName, category]
    expect(hiding.tools.filter((tool) => tool.isHidden !== true).map(partsOf)).toEqual(without.tools.map(partsOf))
    expect(hiding.tools.flatMap(({ name, isHidden }) => (isHidden ? [name] : []))).toEqual(['do.it', 'note_pin'])
  })

  it('ignores an empty category', () => {
    const snapshot = takeSnapshot([{ sourceId: 's', entries: [entryOf('todo-create', { category: '' })] }])
    expect(snapshot.categories).toEqual(['todo'])
  })

  it('lists every tag once, in the order of its first use', () => {
    const entries = [entryOf('a', { tags: ['x', 'y'] }), entryOf('b'), entryOf('c', { tags: ['y', 'z'] })]
    expect(takeSnapshot([{ sourceId: 's', entries }]).tags).toEqual(['x', 'y', 'z'])
  })

  it('a snapshot without sources is empty', () => {
    expect(takeSnapshot([])).toMatchObject({ tools: [], names: [], categories: [], tags: [] })
  })
})

describe('filterSnapshot', () => {
  it('keeps the names of the tools, even if the filter leaves only one source', () => {
    const filtered = filterSnapshot(two, (tool) => tool.sourceId === 'git')
    expect(filtered.names).toEqual(['git__push', 'git__status'])
  })

  it('keeps a hashed name, even if the tool it collided with is filtered out', () => {
    const whole = takeSnapshot([listing('s', 'a b', 'a_b')])
    const [first] = whole.names
    expect(filterSnapshot(whole, (tool) => tool.name === 'a b').names).toEqual([first])
  })

  it('lists and finds only the tools that the filter keeps', () => {
    const entries = [entryOf('todo-create', { tags: ['a'] }), entryOf('order-list', { tags: ['b'] })]
    const filtered = filterSnapshot(takeSnapshot([{ sourceId: 's', entries }]), (tool) => tool.category === 'todo')
    expect(filtered.categories).toEqual(['todo'])
    expect(filtered.tags).toEqual(['a'])
    expect(filtered.find('order-list')).toBeUndefined()
    expect(filtered.get('s:order-list')).toBeUndefined()
  })

  it('does not change the given snapshot', () => {
    filterSnapshot(two, () => false)
    expect(two.tools).toHaveLength(4)
  })
})
