import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ownDialect } from './dialect.ts'
import { type EntryFormat, findKey, readEntries, textRecord } from './entries.ts'
import type { EntryLocation } from './server-entry.ts'

const location: EntryLocation = {
  file: 'f',
  path: ['s'],
  source: 'test',
  dialect: ownDialect,
  resolvePath: (path) => path,
}
const schema = z.strictObject({
  command: z.string().optional(),
  serverUrl: z.string().optional(),
  env: textRecord.optional(),
})
const format: EntryFormat<typeof schema> = {
  schema,
  fields: ({ command, serverUrl, env }) => ({ command, url: serverUrl, env }),
  unknownKeys: 'warning',
  anySpelling: true,
}

describe('readEntries', () => {
  it('accepts any spelling of a key, if it is unambiguous', () => {
    const { servers, problems } = readEntries(
      { a: { 'server-url': 'https://a.example' }, b: { SERVERURL: 'https://b.example' } },
      format,
      location,
    )
    expect(problems).toEqual([])
    expect(servers.map(({ name }) => name)).toEqual(['a', 'b'])
  })

  it('uses the exact key and reports the other if a key has two spellings', () => {
    const { servers, problems } = readEntries(
      { a: { serverUrl: 'https://a.example', server_url: 'https://b.example' } },
      format,
      location,
    )
    expect(servers).toMatchObject([{ connection: { url: 'https://a.example' } }])
    expect(problems).toMatchObject([{ path: 's.a.server_url', severity: 'warning' }])
  })

  it('leaves out a variable with the value null', () => {
    const { servers } = readEntries({ a: { command: 'x', env: { A: 1, B: null, C: true } } }, format, location)
    expect(servers).toMatchObject([{ connection: { env: { A: '1', C: 'true' } } }])
  })

  it('accepts names of the object prototype as server names', () => {
    const entries = JSON.parse('{"__proto__": {"command": "x"}, "constructor": {"command": "y"}}')
    expect(readEntries(entries, format, location).servers.map(({ name }) => name)).toEqual(['__proto__', 'constructor'])
  })

  it('reads a limited number of entries and reports the rest', () => {
    const many = Object.fromEntries(Array.from({ length: 5_002 }, (_, index) => [`s${index}`, { command: 'x' }]))
    const { servers, problems } = readEntries(many, format, location)
    expect(servers).toHaveLength(5_000)
    expect(problems).toMatchObject([{ expected: 'at most 5000 servers', found: '5002' }])
  })

  it('returns no servers and no problems if the entries are absent', () => {
    expect(readEntries(undefined, format, location)).toEqual({ servers: [], rules: [], problems: [] })
  })
})

it.each([
  [{ mcpServers: 1 }, 'mcpServers'],
  [{ mcp_servers: 1 }, 'mcp_servers'],
  [{ mcp_servers: 1, MCPServers: 2 }, undefined],
  [{ servers: 1 }, undefined],
])("findKey(%j, 'mcpServers') is %s", (record, key) => {
  expect(findKey(record, 'mcpServers')).toBe(key)
})
