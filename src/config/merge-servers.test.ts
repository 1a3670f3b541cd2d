// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are references in configs, not templates

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSameServer, mergeServers } from './merge-servers.ts'
import type { Connection, ServerConfig, StdioConnection, ToolRule } from './server-config.ts'

function serverOf(name: string, file: string, command = 'x', env: Readonly<Record<string, string>> = {}): ServerConfig {
  return {
    name,
    enabled: true,
    connection: { type: 'stdio', command, args: [], env },
    origin: { source: file.replace('.json', ''), file, path: `p.${name}` },
  }
}

function ruleOf({ name, origin }: ServerConfig): ToolRule {
  return { server: name, pattern: ['t'], enabled: false, origin }
}

const groupOf = (...servers: readonly ServerConfig[]) => ({ servers, rules: servers.map(ruleOf) })
const namesOf = (...groups: readonly ReturnType<typeof groupOf>[]) =>
  mergeServers(groups).servers.map(({ name, connection }) => [name, 'command' in connection ? connection.command : ''])

describe('mergeServers', () => {
  it('keeps the order, serves the same server once and reports each further entry of it', () => {
    const name = fc.constantFrom('a', 'b', 'c', '__proto__')
    const groups = fc.array(fc.array(name), { maxLength: 4 })
    fc.assert(
      fc.property(groups, (given) => {
        const all = given.map((names, index) => names.map((one) => serverOf(one, `f${index}`)))
        const { servers, problems } = mergeServers(all.map((one) => ({ servers: one, rules: [] })))
        const flat = all.flat()
        const firstOfEachName = flat.filter(
          (server, index) => flat.findIndex((other) => other.name === server.name) === index,
        )
        expect(servers).toEqual(firstOfEachName)
        expect(problems).toHaveLength(flat.length - firstOfEachName.length)
      }),
    )
  })

  it('serves every different server of several files, each under a name that no other server has', () => {
    const entry = fc.record({
      name: fc.constantFrom('a', 'A', 'a-f1', 'a-f1-2', 'b', '__proto__'),
      command: fc.constantFrom('x', 'y', 'z'),
    })
    const groups = fc.array(fc.uniqueArray(entry, { selector: ({ name }) => name, maxLength: 6 }), { maxLength: 4 })
    fc.assert(
      fc.property(groups, (given) => {
        const all = given.map((entries, index) =>
          groupOf(...entries.map(({ name, command }) => serverOf(name, `f${index}`, command))),
        )
        const { servers } = mergeServers(all)
        const different = new Set(all.flatMap((group) => group.servers.map((one) => identity(one))))
        expect(new Set(servers.map((one) => identity(one)))).toEqual(different)
        expect(servers).toHaveLength(different.size)
        expect(new Set(servers.map(({ name }) => name)).size).toBe(servers.length)
      }),
    )
  })

  it('names a different server with the same name after its client, and reports it', () => {
    const { servers, problems } = mergeServers([
      groupOf(serverOf('github', 'cursor.json')),
      groupOf(serverOf('github', 'claude-desktop.json', 'y')),
    ])
    expect(servers).toMatchObject([{ name: 'github' }, { name: 'github-claude-desktop', writtenName: 'github' }])
    expect(problems).toMatchObject([
      {
        file: 'claude-desktop.json',
        path: 'p.github',
        severity: 'warning',
        isAboutServing: true,
        message:
          "'github' is a different server from 'github' in cursor.json p.github, so it is served as 'github-claude-desktop'",
      },
    ])
  })

  it('keeps two servers apart when only their env differs', () => {
    const groups = [
      groupOf(serverOf('db', 'one.json', 'x', { STAGE: 'production' })),
      groupOf(serverOf('db', 'two.json', 'x', { STAGE: 'staging' })),
    ]
    expect(mergeServers(groups).servers.map(({ name }) => name)).toEqual(['db', 'db-two'])
  })

  it('does not give a renamed server the name of another server, even of a server in a later file', () => {
    const names = [
      ['a', 'x'],
      ['a-two-2', 'y'],
      ['a-two', 'z'],
    ]
    const first = groupOf(serverOf('a', 'one.json'))
    const second = groupOf(serverOf('a', 'two.json', 'y'))
    expect(namesOf(first, second, groupOf(serverOf('a-two', 'three.json', 'z')))).toEqual(names)
    const third = groupOf(serverOf('A-Two', 'three.json', 'z'))
    expect(namesOf(first, second, third).map(([name]) => name)).toEqual(['a', 'a-two-2', 'A-Two'])
  })

  it('uses the first of two different entries of one name in one file, as the client does', () => {
    const [first, second] = [serverOf('a', 'one.json'), serverOf('a', 'one.json', 'y')]
    const { servers, problems } = mergeServers([
      groupOf(first, { ...second, origin: { ...second.origin, path: 'q.a' } }),
    ])
    expect(servers).toEqual([first])
    expect(problems).toMatchObject([
      { path: 'q.a', severity: 'warning', message: "'a' is already defined in one.json p.a; this entry is not used" },
    ])
  })

  it('warns about a server that our own config contains twice', () => {
    const twice = [0, 1].map((at) => {
      const server = serverOf('a', 'config.json')
      return { ...server, origin: { ...server.origin, source: 'config', path: `servers[${at}]` } }
    })
    expect(mergeServers([{ servers: twice, rules: [] }]).problems).toMatchObject([
      { path: 'servers[1]', severity: 'warning' },
    ])
  })

  it('applies the disabled tools of a client to its own server, under the name that is served', () => {
    const first = serverOf('a', 'one.json')
    const same = serverOf('a', 'two.json')
    const other = serverOf('a', 'three.json', 'y')
    expect(mergeServers([first, same, other].map((one) => groupOf(one))).rules).toEqual([
      ruleOf(first),
      ruleOf(same),
      { ...ruleOf(other), server: 'a-three' },
    ])
  })

  it('does not apply the disabled tools of a server to a server with a name that differs only in case', () => {
    const [lower, upper] = [serverOf('a', 'one.json'), serverOf('A', 'two.json', 'y')]
    expect(mergeServers([groupOf(lower), groupOf(upper)]).rules.map(({ server }) => server)).toEqual(['/^a$/', '/^A$/'])
  })
})

describe('mergeServers with a name that is refused or disabled', () => {
  it('does not serve a server that our config disables, even if its entry in the client has changed since', () => {
    const off = (name: string, command: string) => ({ ...serverOf(name, 'config.json', command), enabled: false })
    const merged = (own: ServerConfig, ...others: readonly ServerConfig[]) =>
      mergeServers([groupOf(own), ...others.map((one) => groupOf(one))])
    const enabledIn = (...given: Parameters<typeof merged>) =>
      merged(...given).servers.flatMap(({ name, enabled }) => (enabled ? [name] : []))
    const cursor = serverOf('a', 'cursor.json', 'new')
    expect(enabledIn(off('a', 'old'), cursor)).toEqual([])
    expect(enabledIn(off('a-cursor', 'old'), serverOf('a', 'claude.json', 'z'), cursor)).toEqual(['a'])
    expect(merged(off('a', 'old'), cursor).problems).toMatchObject([
      {
        severity: 'warning',
        isAboutServing: true,
        message:
          "'a' is not served: 'a' in config.json p.a disables it, although the two entries differ. To serve this entry, run `toolcrib remove a`",
      },
    ])
  })

  it('serves a different server under another name if the switched-off entry is still equal to the entry of another client', () => {
    const off = { ...serverOf('a', 'config.json', 'x'), enabled: false }
    const { servers } = mergeServers([
      groupOf(off),
      groupOf(serverOf('a', 'claude.json', 'x')),
      groupOf(serverOf('a', 'cursor.json', 'y')),
    ])
    expect(servers.map(({ name, enabled }) => [name, enabled])).toEqual([
      ['a', false],
      ['a-cursor', true],
    ])
  })

  it('does not serve a refused name from the same or a later file, and serves the other names', () => {
    const groups = [
      { servers: [serverOf('a', 'f0')], rules: [] },
      { servers: [serverOf('b', 'f1'), serverOf('c', 'f1')], rules: [], refused: ['b'] },
      { servers: [serverOf('b', 'f2'), serverOf('a', 'f2')], rules: [] },
    ]
    expect(mergeServers(groups).servers.map(({ name, origin }) => `${name} ${origin.file}`)).toEqual(['a f0', 'c f1'])
  })
})

function identity({ name, writtenName = name, connection }: ServerConfig): string {
  return JSON.stringify([writtenName, connection])
}

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
