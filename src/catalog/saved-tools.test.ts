import { describe, expect, it } from 'vitest'
import { entryOf } from '../sources/source.fixture.ts'
import { DamagedFile, type Sections } from '../storage/section-file.ts'
import { openTools, saveTools } from './saved-tools.ts'
import { takeSnapshot } from './snapshot.ts'

const snapshot = takeSnapshot(
  [
    {
      sourceId: 'a',
      entries: [entryOf('one', { description: 'First. Ä', tags: ['x'], title: 'One' }), entryOf('two')],
    },
    { sourceId: 'b', entries: [entryOf('one', { unexposed: true, annotations: { readOnlyHint: true } })] },
  ],
  { decide: (_source, name) => (name === 'two' ? { enabled: false, rule: 3, tags: [] } : { enabled: true, tags: [] }) },
)

const fileOf = (sections: Sections) => ({
  section: (name: string) => Uint8Array.from(sections[name] ?? []),
  part: (name: string, from: number, to: number) => Uint8Array.from((sections[name] ?? []).slice(from, to)),
})

describe('openTools', () => {
  it('reads tools from a file with the fields they were saved with, and finds them by id and by listed name', () => {
    const opened = openTools(fileOf(saveTools(snapshot.tools)))
    expect(opened.tools).toHaveLength(snapshot.tools.length)
    snapshot.tools.forEach((tool, at) => {
      const { id, name, sourceId, listedName, description, category, inputSchema, title, tags, annotations } = tool
      const again = opened.tools[at]
      expect(again).toMatchObject({ id, name, sourceId, listedName, description, category, inputSchema })
      expect([again?.title, again?.tags, again?.annotations]).toEqual([title, tags, annotations])
      expect([again?.disabled, again?.unexposed === true]).toEqual([tool.disabled, tool.unexposed === true])
      expect(opened.find(listedName)).toBe(again)
      expect(opened.get(id)).toBe(again)
    })
    expect(opened.find('one')).toBeUndefined()
    expect(opened.find('two')?.id).toBe('a:two')
  })

  it('reads the description of a tool from the file only when it is accessed', () => {
    const { names = new Uint8Array() } = saveTools(snapshot.tools)
    const unreadable = {
      section: (name: string) => {
        if (name === 'names') return Uint8Array.from(names)
        throw new DamagedFile('x', 'unread')
      },
      part: (): never => {
        throw new DamagedFile('x', 'unread')
      },
    }
    const opened = openTools(unreadable)
    expect(opened.tools.map(({ id, disabled }) => [id, disabled])).toEqual([
      ['a:one', undefined],
      ['a:two', { rule: 3 }],
      ['b:one', undefined],
    ])
    expect(() => opened.tools[0]?.description).toThrow(DamagedFile)
  })
})
