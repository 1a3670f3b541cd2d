import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ownDialect } from './dialect.ts'
import { type EntryFormat, findKey, readEntries, textRecord } from './entries.ts'
import type { EntryPlace } from './server-entry.ts'

const place: EntryPlace = { file: 'f', path: ['s'], source: 'test', dialect: ownDialect, resolvePath: (path) => path }
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

describe('entries', () => {
  it('are read in any spelling that leaves no doubt', () => {
    const { servers, problems } = readEntries(
      { a: { 'server-url': 'https://a.example' }, b: { SERVERURL: 'https://b.example' } },
      format,
      place,
    )
    expect(problems).toEqual([])
    expect(servers.map(({ name }) => name)).toEqual(['a', 'b'])
  })

  it('with two spellings of one key keep the right one and report the other', () => {
    const { servers, problems } = readEntries(
      { a: { serverUrl: 'https://a.example', server_url: 'https://b.example' } },
      format,
      place,
    )
    expect(servers).toMatchObject([{ connection: { url: 'https://a.example' } }])
    expect(problems).toMatchObject([{ path: 's.a.server_url', severity: 'warning' }])
  })

  it('may unset a variable with null', () => {
    const { servers } = readEntries({ a: { command: 'x', env: { A: 1, B: null, C: true } } }, format, place)
    expect(servers).toMatchObject([{ connection: { env: { A: '1', C: 'true' } } }])
  })

  it('may be named like the parts of an object', () => {
    const entries = JSON.parse('{"__proto__": {"command": "x"}, "constructor": {"command": "y"}}')
    expect(readEntries(entries, format, place).servers.map(({ name }) => name)).toEqual(['__proto__', 'constructor'])
  })

  it('are read up to a bound, and what is beyond it is reported', () => {
    const many = Object.fromEntries(Array.from({ length: 5_002 }, (_, index) => [`s${index}`, { command: 'x' }]))
    const { servers, problems } = readEntries(many, format, place)
    expect(servers).toHaveLength(5_000)
    expect(problems).toMatchObject([{ expected: 'at most 5000 servers', found: '5002' }])
  })

  it('that are absent are none', () => {
    expect(readEntries(undefined, format, place)).toEqual({ servers: [], rules: [], problems: [] })
  })
})

it.each([
  [{ mcpServers: 1 }, 'mcpServers'],
  [{ mcp_servers: 1 }, 'mcp_servers'],
  [{ mcp_servers: 1, MCPServers: 2 }, undefined],
  [{ servers: 1 }, undefined],
])('the key of %j is %s', (record, key) => {
  expect(findKey(record, 'mcpServers')).toBe(key)
})
