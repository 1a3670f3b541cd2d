import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { manyCommands } from '../../../../test/fixtures/many-commands.ts'
import { loadTokenCounter } from '../../../core/tokens.ts'
import { commandOf, namesOf } from '../../../sources/commands/command.fixture.ts'
import { blocksOf, contextual, plain, viewOf } from '../../view.fixture.ts'
import { categories } from './categories.ts'

const THREE = ['list_tool_categories', 'get_category_tools', 'get_tool_schema']

const commands = [
  commandOf('issue-list', { description: 'List issues. With filters.', category: 'Issues', mutation: false }),
  commandOf('issue-create', {
    description: 'Create an issue.',
    category: 'Issues',
    input: z.object({ title: z.string().describe('What it is about') }),
    examples: [{ title: 'A bug', input: { title: 'Login fails' } }],
  }),
  commandOf('page-get', { category: 'Documents' }),
]

async function listed(options: object, of = commands, environment = plain) {
  return categories.create(options, environment).list(await viewOf(of))
}

async function ask(name: string, args: unknown, options: object = {}, of = commands) {
  const { metaTools } = categories.create(options, plain)
  const tool = metaTools.find((one) => one.listed.name === name)
  return tool!.call(args, await viewOf(of, { metaTools }))
}

describe('the listing of categories', () => {
  it("lists exactly the three meta-tools in the mode 'hidden'", async () => {
    expect(namesOf(await listed({ listing: 'hidden' }))).toEqual(THREE)
    expect(namesOf(await listed({ listing: 'hidden', invoke: false }))).toEqual(THREE)
  })

  it('also lists invoke_tool if tools are hidden and `invoke` is set', async () => {
    expect(namesOf(await listed({ listing: 'hidden', invoke: true }))).toEqual([...THREE, 'invoke_tool'])
    expect(namesOf(await listed({ listing: 'hybrid', core: 'page-*', invoke: true }))).toEqual([
      ...THREE,
      ...['invoke_tool', 'page-get'],
    ])
    expect(namesOf(await listed({ listing: 'stripped', invoke: true }))).not.toContain('invoke_tool')
  })

  it("shows every tool with its description and hints, and without its schema, in the mode 'stripped'", async () => {
    const tools = await listed({ listing: 'stripped' })
    expect(namesOf(tools)).toEqual([...THREE, 'issue-list', 'issue-create', 'page-get'])
    expect(tools.slice(3, 5)).toEqual([
      {
        name: 'issue-list',
        description: 'List issues. With filters.',
        inputSchema: { type: 'object' },
        annotations: { readOnlyHint: true },
      },
      { name: 'issue-create', description: 'Create an issue.', inputSchema: { type: 'object' } },
    ])
  })

  it("shows every tool with its complete schema in the mode 'full'", async () => {
    const tools = await listed({ listing: 'full' })
    expect(tools[4]?.inputSchema).toHaveProperty('properties.title')
  })

  it('also lists afd-call, afd-batch and afd-pipe if `builtins` is set', async () => {
    expect(namesOf(await listed({ listing: 'hidden', builtins: true }))).toEqual([
      ...THREE,
      ...['afd-call', 'afd-batch', 'afd-pipe'],
    ])
  })

  it("sets listsCatalog, except in the mode 'hidden'", () => {
    expect(categories.create({ listing: 'hidden' }, plain).listsCatalog).toBe(false)
    expect(categories.create({}, plain).listsCatalog).toBe(true)
  })

  it('mentions contexts only if the server has contexts', async () => {
    expect(JSON.stringify(await listed({ listing: 'hidden', invoke: true }))).not.toContain('context')
    const tools = await listed({ listing: 'hidden', invoke: true }, commands, contextual)
    const takers = tools.filter((tool) => 'context' in (tool.inputSchema.properties as object))
    expect(namesOf(takers)).toEqual(['list_tool_categories', 'get_category_tools', 'invoke_tool'])
  })

  it('refuses unknown options and modes, and patterns that cannot be read', () => {
    expect(() => categories.create({ listing: 'some' }, plain)).toThrow('listing')
    expect(() => categories.create({ core: ['/('] }, plain)).toThrow('cannot be used')
    expect(() => categories.create({ cores: [] }, plain)).toThrow('cores')
  })
})

describe('list_tool_categories', () => {
  it('gives category, toolCount and description of each category', async () => {
    const result = await ask('list_tool_categories', {}, { descriptions: { Documents: 'Pages and teamspaces' } })
    expect(blocksOf(result)).toEqual([
      [
        { category: 'Issues', toolCount: 2, description: 'List, create: issue' },
        { category: 'Documents', toolCount: 1, description: 'Pages and teamspaces' },
      ],
    ])
  })

  it('shortens the descriptions of many categories, and shows at most 500', async () => {
    const description = 'What these are good for, told at a length that few categories deserve'
    const many = Array.from({ length: 600 }, (_, index) => commandOf(`kind${index}-list`))
    const described = { descriptions: { kind0: description } }
    const [all, note] = blocksOf(await ask('list_tool_categories', {}, described, many))
    expect(all).toHaveLength(500)
    expect(all).toMatchObject([
      { category: 'kind0', description: `${description.slice(0, 59)}…` },
      ...Array(499).fill({}),
    ])
    expect(note).toEqual({ total: 600, shown: 500 })
    const [few] = blocksOf(await ask('list_tool_categories', {}, described, many.slice(0, 40)))
    expect(few).toMatchObject([{ description }, ...Array(39).fill({})])
  })

  it('adds a note with the servers that have not listed their tools yet', async () => {
    const { metaTools } = categories.create({}, plain)
    const view = await viewOf([], { servers: { slow: [] }, about: { slow: { state: 'starting' } } })
    expect(blocksOf(await metaTools[0]!.call({}, view))).toEqual([
      [],
      { note: "Still starting: 'slow'; ask again in a moment." },
    ])
  })
})

describe('get_category_tools', () => {
  it('gives names and one-line descriptions, without schemas', async () => {
    expect(blocksOf(await ask('get_category_tools', { category: 'Issues' }))).toEqual([
      [
        { name: 'issue-list', description: 'List issues' },
        { name: 'issue-create', description: 'Create an issue.' },
      ],
    ])
  })

  it('gives pages of a hundred tools', async () => {
    const many = Array.from({ length: 150 }, (_, index) => commandOf(`note-n${index}`))
    const [first, rest] = blocksOf(await ask('get_category_tools', { category: 'note' }, {}, many))
    expect(first).toHaveLength(100)
    expect(rest).toEqual({ total: 150, nextOffset: 100 })
    const [second, ...none] = blocksOf(await ask('get_category_tools', { category: 'note', offset: 100 }, {}, many))
    expect(second).toHaveLength(50)
    expect(none).toEqual([])
  })

  it('suggests a similar name for an unknown category', async () => {
    const { error } = await ask('get_category_tools', { category: 'Issue' })
    expect(error).toMatchObject({ code: 'CATEGORY_NOT_FOUND', details: { similar: ['Issues'] } })
  })
})

describe('get_tool_schema', () => {
  const inputSchema = {
    type: 'object',
    properties: { title: { type: 'string', description: 'What it is about' } },
    required: ['title'],
  }

  it('gives the name, description, inputSchema and hash of a tool', async () => {
    expect(blocksOf(await ask('get_tool_schema', { toolName: 'issue-create' }))).toEqual([
      { name: 'issue-create', description: 'Create an issue.', inputSchema, hash: expect.any(String) },
    ])
  })

  it('gives only the schema with schemaOnly', async () => {
    expect(blocksOf(await ask('get_tool_schema', { toolName: 'issue-create', schemaOnly: true }))).toEqual([
      inputSchema,
    ])
  })

  it('accepts a list, and reports unknown names next to the found tools', async () => {
    const [list] = blocksOf(await ask('get_tool_schema', { toolName: ['page-get', 'page-gte'] }))
    expect(list).toMatchObject([
      { name: 'page-get' },
      { name: 'page-gte', error: { code: 'COMMAND_NOT_FOUND', details: { similar: ['page-get'] } } },
    ])
  })

  it('accepts a list that was sent as JSON text', async () => {
    const [list] = blocksOf(await ask('get_tool_schema', { toolName: '["page-get","issue-list"]' }))
    expect(list).toMatchObject([{ name: 'page-get' }, { name: 'issue-list' }])
  })

  it('refuses more than ten names, also in a list that was sent as JSON text', async () => {
    const names = Array.from({ length: 11 }, () => 'page-get')
    for (const toolName of [names, JSON.stringify(names)]) {
      expect((await ask('get_tool_schema', { toolName })).error?.code).toBe('VALIDATION_ERROR')
    }
  })

  it('fails with suggestions for one unknown name', async () => {
    const { error } = await ask('get_tool_schema', { toolName: 'issue-creat' })
    expect(error?.details).toEqual({ similar: ['issue-create', 'issue-list'] })
  })
})

describe('the strategy categories on a server of 114 tools', () => {
  const tokensOf = async (options: object) => {
    const countTokens = await loadTokenCounter()
    return countTokens(JSON.stringify({ tools: await listed(options, manyCommands(114)) }))
  }

  it("lists tools for at most 500 ('hidden') or 8,000 tokens ('stripped'), and 'auto' chooses 'stripped'", async () => {
    expect(await tokensOf({ listing: 'hidden' })).toBeLessThanOrEqual(500)
    expect(await tokensOf({ listing: 'hidden', invoke: true })).toBeLessThanOrEqual(500)
    const stripped = await tokensOf({ listing: 'stripped' })
    expect(stripped).toBeLessThanOrEqual(8_000)
    expect(await tokensOf({ listing: 'auto' })).toBe(stripped)
    expect(await tokensOf({ listing: 'full' })).toBeGreaterThan(stripped * 2)
  })

  it('gives any schema for at most 500 tokens, and half of all schemas for at most 250', async () => {
    const countTokens = await loadTokenCounter()
    const all = manyCommands(114)
    const { metaTools } = categories.create({}, plain)
    const view = await viewOf(all)
    const costs = await Promise.all(
      all.map(async ({ name }) =>
        countTokens(JSON.stringify(blocksOf(await metaTools[2]!.call({ toolName: name }, view))[0])),
      ),
    )
    const sorted = costs.toSorted((a, b) => a - b)
    expect(sorted[57]).toBeLessThanOrEqual(250)
    expect(sorted[113]).toBeLessThanOrEqual(500)
  })
})
