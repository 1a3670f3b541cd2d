// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are references in configs, not templates

import { describe, expect, it } from 'vitest'
import { isSameServer } from './same-server.ts'
import type { Connection, StdioConnection } from './server-config.ts'

const stdio: StdioConnection = { type: 'stdio', command: 'x', args: ['a'], env: { TOKEN: 'abc' } }
const http: Connection = { type: 'http', url: 'https://a.example/mcp', headers: { Authorization: 'one' } }
const isSame = (one: Connection, other: Connection, variables = {}) =>
  isSameServer({ connection: one }, { connection: other }, variables)

describe('isSameServer', () => {
  it('treats two entries as the same server if their connections are equal, for any order of keys', () => {
    expect(isSame({ ...stdio, env: { A: '1', B: '2' } }, { ...stdio, env: { B: '2', A: '1' } })).toBe(true)
    expect(isSame(http, { ...http })).toBe(true)
  })

  it('treats two entries as the same server if a reference resolves to the literal of the other', () => {
    const reference = { ...stdio, env: { TOKEN: '${T}' } }
    expect(isSame(reference, stdio, { T: 'abc' })).toBe(true)
    expect(isSame(reference, { ...stdio, env: { TOKEN: '${U:-abc}' } }, { T: 'abc' })).toBe(true)
    expect(isSame(reference, { ...stdio, env: { TOKEN: '${T}' } }, {})).toBe(true)
  })

  it.each([
    ['command', { ...stdio, command: 'y' }],
    ['arguments', { ...stdio, args: ['a', 'b'] }],
    ['environment', { ...stdio, env: { TOKEN: 'abd' } }],
    ['names of variables', { ...stdio, env: { OTHER: 'abc' } }],
    ['number of variables', { ...stdio, env: {} }],
    ['folder', { ...stdio, cwd: '/elsewhere' }],
    ['env file', { ...stdio, envFile: '/elsewhere/.env' }],
    ['transport', { type: 'http', url: 'x', headers: {} }],
  ] as const)('treats two entries that differ in the %s as different servers', (_, other) => {
    expect(isSame(stdio, other)).toBe(false)
    expect(isSame(other, stdio)).toBe(false)
  })

  it.each([
    ['address', { ...http, url: 'https://b.example/mcp' }],
    ['headers', { ...http, headers: { Authorization: 'two' } }],
    ['kind of transport', { ...http, type: 'sse' }],
  ] as const)('treats two remote entries that differ in the %s as different servers', (_, other) => {
    expect(isSame(http, other)).toBe(false)
  })

  it('treats two entries as different servers if a reference has another value, or no value', () => {
    const reference = { ...stdio, env: { TOKEN: '${T}' } }
    expect(isSame(reference, stdio, { T: 'abd' })).toBe(false)
    expect(isSame(reference, stdio, {})).toBe(false)
    expect(isSame(reference, { ...stdio, env: { TOKEN: '${U}' } }, {})).toBe(false)
    // A literal that only looks like the reference.
    expect(isSame(reference, { ...stdio, env: { TOKEN: '$${T}' } }, {})).toBe(false)
  })
})
