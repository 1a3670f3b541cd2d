import { describe, expect, it } from 'vitest'
import { changeToml, setInTable, tomlTables } from './write-toml.ts'

const own = '[mcp_servers.own]\ncommand = "npx"'
const text = `# top
model = "o3"  # odd

# about a
[mcp_servers.a]
command = "node"

# its variables
[mcp_servers.a.env]
TOKEN = "t"

# about profiles
[profiles.x]
model = "y"   


`
const changed = `# top
model = "o3"  # odd

# about a
[mcp_servers.own]
command = "npx"

# about profiles
[profiles.x]
model = "y"   


`
const crlf = (one: string) => one.replaceAll('\n', '\r\n')
const put = (one: string, ...remove: readonly string[]) =>
  changeToml(one, { section: 'mcp_servers', remove, add: { own } })

it.each([
  ['plain lines', (one: string) => one],
  ['Windows line endings', crlf],
  ['a byte order mark', (one: string) => `\uFEFF${one}`],
  ['no newline at the end', (one: string) => one.trimEnd()],
])('changes only the lines of the given tables, in a text with %s', async (_, as) => {
  expect(await put(as(text), 'a')).toBe(as(changed))
  expect(await put(as(changed))).toBe(as(changed))
  const tables = tomlTables(as(text), 'mcp_servers', ['a'])
  expect(await changeToml(as(changed), { section: 'mcp_servers', remove: ['own'], add: tables })).toBe(as(text))
})

it('adds a table at the end if it replaces none, and leaves one empty line where a table was removed', async () => {
  expect(await put('')).toBe(`${own}\n`)
  expect(await put('a = 1')).toBe(`a = 1\n\n${own}\n`)
  expect(await put(crlf('a = 1\n\n\n'))).toBe(crlf(`a = 1\n\n\n${own}\n`))
  const gone = { section: 'mcp_servers', remove: ['own'], add: {} }
  expect(await changeToml(`a = 1\n\n${own}\n\n[b]\n`, gone)).toBe('a = 1\n\n[b]\n')
})

const path = ['mcp_servers', 'toolcrib']
const values = { command: 'npx', args: ['-y', 'toolcrib', 'serve'] }

describe('setInTable', () => {
  it('keeps comments, other keys and nested tables', async () => {
    const table = `[mcp_servers.toolcrib] # ours
  command = "node"
"args" = [
  "old.js", # where it was
  "serve",
]
startup_timeout_sec = 20 # it is slow

[mcp_servers.toolcrib.env]
command = "not this one"
`
    expect(await setInTable(table, path, values)).toBe(`[mcp_servers.toolcrib] # ours
  command = "npx"
args = ["-y","toolcrib","serve"]
startup_timeout_sec = 20 # it is slow

[mcp_servers.toolcrib.env]
command = "not this one"
`)
  })

  it('adds missing keys, removes keys with the value undefined, and keeps the line endings', async () => {
    const table = '[mcp_servers.toolcrib]\r\ncommand = "node"\r\nurl = "x"\r\n'
    expect(await setInTable(table, path, { ...values, url: undefined })).toBe(
      '[mcp_servers.toolcrib]\r\nargs = ["-y","toolcrib","serve"]\r\ncommand = "npx"\r\n',
    )
  })

  it('returns undefined if the table has another notation or a syntax error', async () => {
    expect(await setInTable('[mcp_servers]\ntoolcrib.command = "node"\n', path, values)).toBeUndefined()
    expect(await setInTable('[mcp_servers.toolcrib\n', path, values)).toBeUndefined()
  })
})
