import { describe, expect, it } from 'vitest'
import { importers } from './imports/builtins.ts'
import { clientWriters, openClient, putInPlace, takeBack } from './write-client.ts'

const launch = { command: 'npx', args: ['-y', 'toolcrib', 'serve'] }
const context = { home: '/h/ada', cwd: '/code/shop', platform: 'linux', env: {} } as const

/** A file of each client with two servers, a comment where it may have one, and something else beside them. */
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

it('has a writer for every client that there is an importer for, but for files of any kind', () => {
  expect([...clientWriters.keys()].sort()).toEqual([...importers.keys()].filter((name) => name !== 'custom').sort())
})

describe.each(Object.keys(samples))('%s', (client) => {
  const writer = clientWriters.get(client)!
  const importer = importers.get(client)!
  const [file] = importer.paths(context)
  const text = samples[client]!
  const open = async (given: string) => (await openClient(writer, given, file!.path))!
  const namesIn = async (given: string) =>
    (await importer.parse(given, file!.path, context)).servers.map(({ name }) => name)

  it('has our entry in place of the servers that are fronted, and all the rest as it was', async () => {
    expect(await namesIn(text)).toEqual(['a', 'b'])
    const changed = (await putInPlace(writer, await open(text), ['a'], launch))!
    // Our own entry is recognised as such, and so never imported.
    expect(await namesIn(changed)).toEqual(['b'])
    expect(Object.keys((await open(changed)).entries).sort()).toEqual(['b', 'toolcrib'])
    const { problems } = await importer.parse(changed, file!.path, context)
    expect(problems.filter(({ severity }) => severity !== 'info')).toEqual([])
    expect(changed).toContain('mine')
    const kept = text.split('\n').filter((line) => /theme|other|vim|projects|inputs|model|profiles/.test(line))
    for (const line of kept) expect(changed).toContain(line)
  })

  it('gets its servers back when the gateway goes', async () => {
    const changed = (await putInPlace(writer, await open(text), ['a', 'b'], launch))!
    const restored = (await takeBack(writer, await open(changed), await open(text)))!
    expect((await namesIn(restored)).sort()).toEqual(['a', 'b'])
    expect((await open(restored)).entries).toEqual((await open(text)).entries)
  })

  it('is written the same the second time, and starts from nothing', async () => {
    const once = (await putInPlace(writer, await open(text), ['a'], launch))!
    expect(await putInPlace(writer, await open(once), [], launch)).toBe(once)
    const fresh = (await putInPlace(writer, await open(''), [], launch))!
    expect(Object.keys((await open(fresh)).entries)).toEqual(['toolcrib'])
  })
})

it('keeps the older place of VS Code where the servers stand there', async () => {
  const writer = clientWriters.get('vscode')!
  const document = (await openClient(writer, '{"mcp": {"servers": {"a": {"command": "x"}}}}', 'settings.json'))!
  expect(document).toMatchObject({ path: ['mcp', 'servers'], entries: { a: {} } })
})

it('does not touch what it cannot change without harm', async () => {
  const writer = clientWriters.get('codex')!
  const document = (await openClient(writer, 'mcp_servers = { a = { command = "x" } }\n', 'config.toml'))!
  expect(await putInPlace(writer, document, ['a'], launch)).toBeUndefined()
  expect(await openClient(writer, 'not [ toml', 'config.toml')).toBeUndefined()
})
