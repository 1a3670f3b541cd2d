import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkTools, collectTools } from './tool-list.ts'

const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: 'object' }, ...more })

describe('checkTools', () => {
  it('keeps the known fields of a tool if they have the right type', () => {
    const annotations = { readOnlyHint: true, title: 'T', odd: 5 }
    const full = {
      ...tool('a'),
      title: 'A',
      description: 'Does a.',
      outputSchema: { type: 'object' },
      annotations,
      _meta: { x: 1 },
    }
    expect(checkTools([full]).tools).toEqual([{ ...full, annotations: { readOnlyHint: true, title: 'T' } }])
    const wrong = { title: 1, description: [], outputSchema: 'x', annotations: { n: 1 }, _meta: 'y', icons: [] }
    expect(checkTools([tool('b', wrong)]).tools).toEqual([tool('b')])
  })

  it.each([
    [17, 'is not an object'],
    [[], 'is not an object'],
    [{ inputSchema: { type: 'object' } }, 'has no name'],
    [tool(' '), 'has no name'],
    [tool('a\u0000b'), 'has control characters in its name', "its tool 'a\\u{0}b'"],
    [tool('x'.repeat(257)), 'has a name longer than 256 characters', `its tool '${'x'.repeat(79)}…'`],
    [{ name: 'a' }, 'has no inputSchema', "its tool 'a'"],
    [tool('a', { inputSchema: [] }), 'has no inputSchema', "its tool 'a'"],
    [tool('a', { inputSchema: { type: 'array' } }), "has an inputSchema whose type is not 'object'", "its tool 'a'"],
  ])('leaves out %j because it %s', (candidate, reason, which = 'tool 2 of its list') => {
    const { tools, problems } = checkTools([tool('good'), candidate])
    expect(tools.map(({ name }) => name)).toEqual(['good'])
    expect(problems.map((problem) => problem.reason)).toEqual([`${which} ${reason}`])
  })

  it('adds the type to a schema without one, because arguments are always an object', () => {
    const { tools, problems } = checkTools([tool('a', { inputSchema: { $schema: 'x', anyOf: [{ required: ['b'] }] } })])
    expect(tools).toEqual([tool('a', { inputSchema: { $schema: 'x', anyOf: [{ required: ['b'] }], type: 'object' } })])
    expect(problems).toEqual([])
  })

  it('leaves out tools that are too large or too deep', () => {
    let deep: unknown = { type: 'object' }
    for (let level = 0; level < 20_000; level++) deep = { type: 'object', properties: { x: deep } }
    const { tools, problems } = checkTools([
      tool('long', { description: 'x'.repeat(1024 * 1024) }),
      tool('deep', { inputSchema: deep }),
      tool('good'),
    ])
    expect(tools.map(({ name }) => name)).toEqual(['good'])
    expect(problems.map(({ reason }) => reason)).toEqual([
      "its tool 'long' is larger than 1048576 bytes",
      "its tool 'deep' is nested deeper than 200 levels",
    ])
  })

  it('keeps or reports each value in a list of tools, for any values', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(fc.jsonValue(), fc.record({ name: fc.string(), inputSchema: fc.constant({ type: 'object' }) })),
        ),
        (sent) => {
          const { tools, problems } = checkTools(sent)
          expect(tools.length + problems.length).toBe(sent.length)
          expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length)
        },
      ),
    )
  })
})

describe('collectTools', () => {
  it('stops when the pages of a list are too large together', async () => {
    const description = 'x'.repeat(500_000)
    let pages = 0
    const { tools, problems } = await collectTools(async () => {
      const names = Array.from({ length: 40 }, (_, at) => `t-${pages}-${at}`)
      return { tools: names.map((name) => tool(name, { description })), nextCursor: `page ${++pages}` }
    })
    expect(pages).toBe(4)
    expect(tools).toHaveLength(160)
    expect(problems.map(({ reason }) => reason)).toEqual([
      'its list has more than 67108864 bytes; the rest is left out',
    ])
  })

  it('fetches all pages of a list', async () => {
    const cursors: (string | undefined)[] = []
    const { tools, problems } = await collectTools(async (cursor) => {
      cursors.push(cursor)
      return {
        tools: [tool(`t${cursors.length}`)],
        ...(cursors.length < 3 ? { nextCursor: `c${cursors.length}` } : {}),
      }
    })
    expect(cursors).toEqual([undefined, 'c1', 'c2'])
    expect(tools.map(({ name }) => name)).toEqual(['t1', 't2', 't3'])
    expect(problems).toEqual([])
  })

  it('stops at the limits for pages and tools, and reports them', async () => {
    let page = 0
    const endless = async () => ({ tools: [tool(`t${++page}`)], nextCursor: `c${page}` })
    expect(await collectTools(endless, { maxPages: 3 })).toMatchObject({
      tools: [{ name: 't1' }, { name: 't2' }, { name: 't3' }],
      problems: [{ reason: 'its list has more than 3 pages; the rest is left out' }],
    })
    page = 0
    const { tools, problems } = await collectTools(endless, { maxTools: 2 })
    expect(tools).toHaveLength(2)
    expect(problems).toEqual([{ reason: 'it lists more than 2 tools; the rest is left out' }])
  })

  it('reports that tools are left out if the last page has too many', async () => {
    const lastPage = async () => ({ tools: [tool('a'), tool('b'), tool('c')] })
    const { tools, problems } = await collectTools(lastPage, { maxTools: 2 })
    expect(tools.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(problems).toEqual([{ reason: 'it lists more than 2 tools; the rest is left out' }])
    expect((await collectTools(lastPage, { maxTools: 3 })).problems).toEqual([])
  })

  it('keeps the tools of valid pages when another page is invalid', async () => {
    const pages = [{ tools: [tool('a')], nextCursor: 'x' }, { tools: 'none', nextCursor: 'y' }, 'nonsense']
    expect(await collectTools(async () => pages.shift())).toMatchObject({
      tools: [tool('a')],
      problems: [{ reason: 'page 2 of its list has no tools' }, { reason: 'page 3 of its list has no tools' }],
    })
  })
})
