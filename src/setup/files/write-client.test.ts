import { describe, expect, it } from 'vitest'
import { importers } from '../../config/imports/builtins.ts'
import { type ClientDocument, openClient, replaceByGateway, restoreEntries } from './write-client.ts'

const launch = { command: 'npx', args: ['-y', 'toolcrib', 'serve'] }
const context = { home: '/h/ada', cwd: '/code/shop', platform: 'linux', env: {} } as const

/** A file of each client with two servers, a comment and another setting. */
const samples: Readonly<Record<string, string>> = {
  'claude-desktop': json('mcpServers'),
  'claude-code': json('mcpServers', '"projects": {"/code/other": {"mcpServers": {"c": {"command": "z"}}}}'),
  cursor: json('mcpServers'),
  vscode: json('servers', '"inputs": []'),
  copilot: json('mcpServers'),
  windsurf: json('mcpServers'),
  gemini: json('mcpServers', '"theme": "dark"'),
  zed: json('context_servers', '"vim_mode": true'),
  'docker-mcp': json('mcpServers'),
  opencode: `{
  // mine
  "theme": "dark",
  "mcp": {
    "a": {"type": "local", "command": ["x", "y"]},
    "b": {"type": "remote", "url": "https://example.com/mcp"}
  }
}
`,
  codex: `# mine
model = "gpt"

[mcp_servers.a]
command = "x"
args = ["[not.a.table]"]

[mcp_servers.a.env]
A = "1"

[mcp_servers."b"]
url = "https://example.com/mcp"

[profiles.fast]
model = "small"
`,
}

function json(key: string, beside = '"other": true'): string {
  return `{
  // mine
  ${beside},
  "${key}": {
    "a": {"command": "x", "args": ["y"]}, // first
    "b": {"url": "https://example.com/mcp"}
  }
}
`
}

const named = ({ entries }: ClientDocument, ...names: readonly string[]) =>
  entries.filter(({ name }) => names.includes(name))
const valuesOf = ({ entries }: ClientDocument) => Object.fromEntries(entries.map(({ name, value }) => [name, value]))

it('there is a sample for every client with a writer, and only `custom` has no writer', () => {
  const clients = [...importers.values()].filter(({ writer }) => writer !== undefined).map(({ name }) => name)
  expect(Object.keys(samples).sort()).toEqual(clients.sort())
  expect([...importers.keys()].filter((name) => !clients.includes(name))).toEqual(['custom'])
})

describe.each(Object.keys(samples))('a change of the file of %s', (client) => {
  const importer = importers.get(client)!
  const writer = importer.writer!
  const [file] = importer.paths(context)
  const text = samples[client]!
  const open = async (given: string) => (await openClient(writer, given, file!.path, context))!
  const namesIn = async (given: string) =>
    (await importer.parse(given, file!.path, context)).servers.map(({ name }) => name)

  it('replaces the given servers with our entry and keeps the rest unchanged', async () => {
    expect(await namesIn(text)).toEqual(['a', 'b'])
    const before = await open(text)
    const changed = (await replaceByGateway(writer, before, named(before, 'a'), launch))!
    // Our own entry is recognized and therefore not imported.
    expect(await namesIn(changed)).toEqual(['b'])
    expect(Object.keys(valuesOf(await open(changed))).sort()).toEqual(['b', 'toolcrib'])
    const { problems } = await importer.parse(changed, file!.path, context)
    expect(problems.filter(({ severity }) => severity !== 'info')).toEqual([])
    expect(changed).toContain('mine')
    const kept = text.split('\n').filter((line) => /theme|other|vim|projects|inputs|model|profiles/.test(line))
    for (const line of kept) expect(changed).toContain(line)
  })

  it('restores the servers of the client when the gateway is removed', async () => {
    const from = await open(text)
    const gone = named(from, 'a', 'b')
    const changed = (await replaceByGateway(writer, from, gone, launch))!
    const back = gone.map((entry) => ({ ...entry, from }))
    const restored = (await restoreEntries(writer, await open(changed), back))!
    expect((await namesIn(restored)).sort()).toEqual(['a', 'b'])
    expect(valuesOf(await open(restored))).toEqual(valuesOf(from))
  })

  it('keeps the text when our entry is written a second time, and accepts an empty file', async () => {
    const before = await open(text)
    const once = (await replaceByGateway(writer, before, named(before, 'a'), launch))!
    expect(await replaceByGateway(writer, await open(once), [], launch)).toBe(once)
    const fresh = (await replaceByGateway(writer, await open(''), [], launch))!
    expect(Object.keys(valuesOf(await open(fresh)))).toEqual(['toolcrib'])
  })
})

it('uses the older settings of VS Code if they contain the servers', async () => {
  const writer = importers.get('vscode')!.writer!
  const document = (await openClient(
    writer,
    '{"mcp": {"servers": {"a": {"command": "x"}}}}',
    'settings.json',
    context,
  ))!
  expect(document).toMatchObject({ section: ['mcp', 'servers'], entries: [{ name: 'a' }] })
})

it('returns undefined for a file that cannot be changed safely', async () => {
  const writer = importers.get('codex')!.writer!
  const document = (await openClient(writer, 'mcp_servers = { a = { command = "x" } }\n', 'config.toml', context))!
  expect(await replaceByGateway(writer, document, document.entries, launch)).toBeUndefined()
  expect(await openClient(writer, 'not [ toml', 'config.toml', context)).toBeUndefined()
})

it('changes the servers that Claude Code keeps for this project, and none of another project', async () => {
  const { writer } = importers.get('claude-code')!
  const text = `{
  "mcpServers": {"a": {"command": "x"}},
  "projects": {
    "/code/shop": {"mcpServers": {"a": {"command": "other"}, "p": {"command": "y"}}, "history": []},
    "/code/other": {"mcpServers": {"c": {"command": "z"}}}
  }
}
`
  const document = (await openClient(writer!, text, '.claude.json', context))!
  expect(document.entries.map(({ path }) => path.join(' '))).toEqual([
    'mcpServers a',
    'projects /code/shop mcpServers a',
    'projects /code/shop mcpServers p',
  ])
  const gone = document.entries.slice(1)
  const changed = (await replaceByGateway(writer!, document, gone, launch))!
  expect(JSON.parse(changed)).toEqual({
    mcpServers: { toolcrib: { type: 'stdio', ...launch }, a: { command: 'x' } },
    projects: {
      '/code/shop': { mcpServers: {}, history: [] },
      '/code/other': { mcpServers: { c: { command: 'z' } } },
    },
  })
  const opened = (await openClient(writer!, changed, '.claude.json', context))!
  const restored = await restoreEntries(
    writer!,
    opened,
    gone.map((entry) => ({ ...entry, from: document })),
  )
  expect(JSON.parse(restored!)).toEqual(JSON.parse(text))
})
