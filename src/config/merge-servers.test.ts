import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergeServers } from './merge-servers.ts'
import type { ServerConfig, ToolRule } from './server-config.ts'

function serverOf(name: string, file: string, command = 'x'): ServerConfig {
  return {
    name,
    enabled: true,
    connection: { type: 'stdio', command, args: [], env: {} },
    origin: { source: 's', file, path: `p.${name}` },
  }
}

function ruleOf({ name, origin }: ServerConfig): ToolRule {
  return { server: name, pattern: ['t'], enabled: false, origin }
}

describe('servers of several files', () => {
  it('keep their order and have one name each: the first wins, the others are reported', () => {
    const name = fc.constantFrom('a', 'b', 'c', '__proto__')
    const groups = fc.array(fc.array(name), { maxLength: 4 })
    fc.assert(
      fc.property(groups, (given) => {
        const all = given.map((names, index) => names.map((one) => serverOf(one, `f${index}`)))
        const { servers, problems } = mergeServers(all.map((one) => ({ servers: one, rules: [] })))
        const flat = all.flat()
        const slow = flat.filter((server, index) => flat.findIndex((other) => other.name === server.name) === index)
        expect(servers).toEqual(slow)
        expect(problems).toHaveLength(flat.length - slow.length)
      }),
    )
  })

  it('say which of two is used', () => {
    const { problems } = mergeServers([
      { servers: [serverOf('a', 'one.json')], rules: [] },
      { servers: [serverOf('a', 'two.json', 'y'), serverOf('a', 'three.json')], rules: [] },
    ])
    expect(problems).toMatchObject([
      {
        file: 'two.json',
        path: 'p.a',
        severity: 'warning',
        message: "'a' is already defined in one.json p.a; this one is not used",
      },
      { file: 'three.json', severity: 'info' },
    ])
  })

  it('are a mistake where our own config has one twice, however alike', () => {
    const twice = [0, 1].map((at) => {
      const server = serverOf('a', 'config.json')
      return { ...server, origin: { ...server.origin, source: 'config', path: `servers[${at}]` } }
    })
    expect(mergeServers([{ servers: twice, rules: [] }]).problems).toMatchObject([
      { path: 'servers[1]', severity: 'warning' },
    ])
  })

  it('keep the lists of one that is not used only where it is the very same server', () => {
    const first = serverOf('a', 'one.json')
    const same = serverOf('a', 'two.json')
    const other = serverOf('a', 'three.json', 'y')
    const groups = [first, same, other].map((server) => ({ servers: [server], rules: [ruleOf(server)] }))
    expect(mergeServers(groups).rules).toEqual([ruleOf(first), ruleOf(same)])
  })
})

describe('a name that is refused', () => {
  it('is not served by the same or a later file, but by an earlier one', () => {
    const groups = [
      { servers: [serverOf('a', 'f0')], rules: [] },
      { servers: [serverOf('b', 'f1'), serverOf('c', 'f1')], rules: [], refused: ['b'] },
      { servers: [serverOf('b', 'f2'), serverOf('a', 'f2')], rules: [] },
    ]
    expect(mergeServers(groups).servers.map(({ name, origin }) => `${name} ${origin.file}`)).toEqual(['a f0', 'c f1'])
  })
})
