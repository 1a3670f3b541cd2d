// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are references in configs, not templates

import { describe, expect, it } from 'vitest'
import { readServers } from './config-entry.ts'
import { ownDialect } from './dialect.ts'
import { DEFAULT_CONFIG } from './self.ts'
import type { EntryLocation } from './server-entry.ts'

const location: EntryLocation = {
  file: 'config.json',
  path: ['discovery', 'servers'],
  source: 'config',
  dialect: ownDialect,
  resolvePath: (path) => path.replace(/^~/, '/h/ada'),
}
const parse = (servers: unknown) => readServers(servers, location, 'error')

describe('readServers', () => {
  it('reads servers from a list, from an object, and in the format of other clients', () => {
    const connection = { type: 'stdio', command: 'npx', args: ['x'], env: { TOKEN: '${TOKEN}' }, cwd: '~/w' } as const
    const inList = parse([{ name: 'a', description: 'd', connection, timeoutMs: 5, idleMs: 0 }])
    const inObject = parse({ a: { description: 'd', connection, timeoutMs: 5, idleMs: 0 } })
    const flat = parse({ a: { description: 'd', ...connection, timeoutMs: 5, idleMs: 0 } })
    const expected = {
      name: 'a',
      description: 'd',
      enabled: true,
      timeoutMs: 5,
      idleMs: 0,
      connection: { type: 'stdio', command: 'npx', args: ['x'], env: { TOKEN: '${TOKEN}' }, cwd: '/h/ada/w' },
    }
    for (const { servers, problems } of [inList, inObject, flat]) {
      expect(problems).toEqual([])
      expect(servers).toMatchObject([expected])
    }
    expect(inList.servers[0]?.origin).toEqual({
      source: 'config',
      file: 'config.json',
      path: 'discovery.servers[0]',
    })
  })

  it('names a server by its key, and uses `name` as its title', () => {
    const { servers } = parse({ a: { name: 'The A', command: 'x' } })
    expect(servers).toMatchObject([{ name: 'a', title: 'The A' }])
  })

  it('accepts remote servers with any spelling of the transport', () => {
    const { servers } = parse({
      a: { url: 'https://a.example/mcp' },
      b: { connection: { type: 'streamable-http', url: 'https://b.example' } },
      c: { type: 'sse', url: 'https://c.example', headers: { 'X-A': '${A}' } },
      d: { serverUrl: 'https://d.example/sse' },
    })
    expect(servers.map(({ connection }) => connection)).toEqual([
      { type: 'http', url: 'https://a.example/mcp', headers: {} },
      { type: 'http', url: 'https://b.example', headers: {} },
      { type: 'sse', url: 'https://c.example', headers: { 'X-A': '${A}' } },
      { type: 'sse', url: 'https://d.example/sse', headers: {} },
    ])
  })

  it('turns the tool lists of clients into rules, and keeps a disabled server disabled', () => {
    const { servers, rules } = parse({
      a: { command: 'x', disabled: true, disabled_tools: ['d'], enabledTools: ['e', 'f'], includeTools: ['f'] },
    })
    expect(servers).toMatchObject([{ enabled: false }])
    expect(rules).toMatchObject([
      { server: 'a', pattern: ['!/^f$/'], enabled: false },
      { server: 'a', pattern: ['d'], enabled: false },
    ])
  })

  it.each([
    [[{ connection: { command: 'x' } }], '[0].name', 'a name', 'nothing'],
    [[{ name: 'a' }], '[0]', "'command' or 'url'", 'neither'],
    [[{ name: 'a', command: 'x', url: 'https://x.example' }], '[0]', "either 'command' or 'url'", 'both'],
    [
      [{ name: 'a', connection: { command: 'x' }, command: 'y' }],
      '[0]',
      "either 'connection' or its keys beside it",
      'both',
    ],
    [[{}, {}, { name: 'a', connection: { command: 3 } }], '[2].connection.command', 'a string', 'a number'],
    [[{ name: 'a', connection: { type: 'stdio' } }], '[0].connection.command', 'a command', 'nothing'],
    [
      [{ name: 'a', connection: { type: 'http', url: 'ws://x' } }],
      '[0].connection.url',
      'an http or https address',
      'a string',
    ],
    [
      [{ name: 'a', connection: { type: 'pipe', command: 'x' } }],
      '[0].connection.type',
      "'stdio', 'http' or 'sse'",
      "'pipe'",
    ],
    [{ a: { command: ' ' } }, '.a', "'command' or 'url'", 'neither'],
    [{ a: 'npx x' }, '.a', 'an object', 'a string'],
    [{ a: { command: 'x', env: ['A=1'] } }, '.a.env', 'an object', 'a list of 1 item'],
    [{ a: { command: 'x', args: 'y' } }, '.a.args', 'a list', 'a string'],
    [{ a: { command: 'x', enabled: 'no' } }, '.a.enabled', 'true or false', 'a string'],
    [{ '': { command: 'x' } }, '[""]', 'a name of 1 to 200 printable characters', 'an empty name'],
    [
      { 'a\n': { command: 'x' } },
      '["a\\n"]',
      'a name of 1 to 200 printable characters',
      'a name with a control character',
    ],
    [
      [{ name: 'x'.repeat(201), command: 'x' }],
      '[0]',
      'a name of 1 to 200 printable characters',
      'a name of 201 characters',
    ],
    ['all', '', 'an object with one entry per server', 'a string'],
  ])('rejects an invalid server with the location of the error: %j', (servers, path, expected, found) => {
    const { problems } = parse(servers)
    expect(problems).toContainEqual(
      expect.objectContaining({
        file: 'config.json',
        path: `discovery.servers${path}`,
        expected,
        found,
        severity: 'error',
      }),
    )
  })

  it('reads the other servers if one is invalid', () => {
    const { servers, problems } = parse({ bad: { command: 3 }, good: { command: 'x', comand: 'y' } })
    expect(servers.map(({ name }) => name)).toEqual(['good'])
    expect(problems.map(({ path, severity }) => [path, severity])).toEqual([
      ['discovery.servers.bad.command', 'error'],
      ['discovery.servers.good.comand', 'error'],
    ])
  })

  it('reads the login settings of a remote server', () => {
    const auth = { clientId: 'toolcrib', clientSecret: '${SECRET}', scopes: ['read'], redirectPort: 3_118 }
    const { servers, problems } = parse({
      flat: { url: 'https://a.example/mcp', auth },
      nested: { connection: { url: 'https://a.example/mcp', auth } },
    })
    expect(problems).toEqual([])
    for (const { connection } of servers) {
      expect(connection).toEqual({ type: 'http', url: 'https://a.example/mcp', headers: {}, auth })
    }
  })

  it.each([
    [{ command: 'x', auth: {} }, 'auth', "a server with a 'url'"],
    [
      { url: 'https://a.example', auth: { clientSecret: 's' } },
      'auth.clientId',
      "the id of the client that 'clientSecret' belongs to",
    ],
    [
      { url: 'https://a.example', auth: { grant: 'client_credentials', clientId: 'a', clientSecret: 's' } },
      'auth.issuer',
      'the authorization server that may get the secret',
    ],
    [
      { url: 'https://a.example', auth: { grant: 'client_credentials', clientId: 'a', issuer: 'https://b.example' } },
      'auth.clientSecret',
      'the secret of the client',
    ],
    [{ url: 'https://a.example', auth: { issuer: 'http://b.example' } }, 'auth.issuer', 'an https address'],
    [
      { url: 'https://a.example', auth: { clientMetadataUrl: 'https://b.example' } },
      'auth.clientMetadataUrl',
      'an https address with a path',
    ],
    [{ url: 'https://a.example', auth: { grant: 'password' } }, 'auth.grant', expect.stringContaining('one of')],
    [{ url: 'https://a.example', auth: { redirectPort: 0 } }, 'auth.redirectPort', 'a number of at least 1'],
  ])('rejects login settings that cannot work: %j', (entry, path, expected) => {
    expect(parse({ a: entry }).problems).toContainEqual(
      expect.objectContaining({ path: `discovery.servers.a.${path}`, expected, severity: 'error' }),
    )
  })

  it('leaves out an entry that starts this gateway', () => {
    const me = { command: 'npx', args: ['toolcrib'] }
    const { servers, problems } = readServers({ me }, { ...location, own: { configs: [DEFAULT_CONFIG] } }, 'error')
    expect(servers).toEqual([])
    expect(problems).toMatchObject([{ path: 'discovery.servers.me', severity: 'warning', isAboutServing: true }])
  })
})
