import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ownDialect } from './dialect.ts'
import { defaultConfig, parseConfig } from './parse-config.ts'
import { renderProblem } from './problem.ts'
import type { EntryPlace } from './server-entry.ts'

const place: EntryPlace = {
  file: 'config.json',
  path: [],
  source: 'config',
  dialect: ownDialect,
  resolvePath: (path) => path,
}
const parse = (value: unknown) => parseConfig(value, place)

it('servers are read one by one, with their place in the file', () => {
  const { entries, problems } = parse({ discovery: { servers: [{ name: 'a', command: 'x' }, { name: 'b' }] } })
  expect(entries.servers.map(({ name }) => name)).toEqual(['a'])
  expect(problems).toMatchObject([{ path: 'discovery.servers[1]', severity: 'error' }])
})

describe('rules', () => {
  const parseRules = (toolRules: unknown) => parse({ discovery: { toolRules } })

  it('are read in their order', () => {
    const { rules, problems } = parseRules([
      { pattern: ['*a*', '!b'], enabled: true, tags: ['t'] },
      { pattern: '/x/i', server: 's' },
      { server: 's', enabled: false },
    ])
    expect(problems).toEqual([])
    expect(rules).toEqual([
      { pattern: ['*a*', '!b'], enabled: true, tags: ['t'] },
      { pattern: ['/x/i'], server: 's' },
      { pattern: ['*'], server: 's', enabled: false },
    ])
  })

  it.each([
    [{ pattern: ['a'], enabled: 'no' }, { pattern: ['a'], enabled: false }, '.enabled'],
    [{ pattern: ['a'], server: 's', tag: ['t'] }, { pattern: ['a'], server: 's', enabled: false }, '.tag'],
    [{ pattern: [3], server: 's', enabled: true }, { pattern: ['/^/'], server: 's', enabled: false }, '.pattern[0]'],
    [{ patern: ['a'], enabled: false }, { pattern: ['/^/'], enabled: false }, '.patern'],
    [{ enabled: true }, { pattern: ['/^/'], enabled: false }, ''],
    ['a', { pattern: ['/^/'], enabled: false }, ''],
  ])('%j cannot be read, and disables what it could be about', (rule, expected, path) => {
    const { rules, problems } = parseRules([{ pattern: 'first', enabled: true }, rule])
    expect(rules).toEqual([{ pattern: ['first'], enabled: true }, expected])
    expect(problems[0]).toMatchObject({ path: `discovery.toolRules[1]${path}`, severity: 'error' })
  })

  it('that are no list disable everything', () => {
    const { rules, problems } = parseRules({ pattern: '*' })
    expect(rules).toEqual([{ pattern: ['/^/'], enabled: false }])
    expect(problems).toMatchObject([{ path: 'discovery.toolRules', expected: 'a list', found: 'an object' }])
  })
})

describe('settings', () => {
  it('have their defaults, and no strategy unless one is named', () => {
    const config = defaultConfig()
    expect(parse({}).config).toEqual(config)
    expect(config.discovery).not.toHaveProperty('strategy')
    expect(config.discovery).not.toHaveProperty('servers')
  })

  it('that are wrong are reported, and the default holds', () => {
    const { config, problems } = parse({
      discovery: { cache: { enabled: true, ttl: 'long' }, pinning: 'blok', listwaitms: 3 },
      http: { port: 70_000, host: 'localhost', tokens: { alice: 17 } },
      audit: 'strict',
      sever: {},
    })
    expect(config).toMatchObject({
      discovery: { cache: { enabled: true, ttl: 3_600 }, pinning: 'off', listWaitMs: 5_000 },
      http: { port: 3_100, host: 'localhost', tokens: {} },
      audit: { mode: 'lenient' },
    })
    expect(problems.map(renderProblem).sort()).toEqual([
      'error: config.json audit: Expected an object, found a string',
      'error: config.json discovery.cache.ttl: Expected a number, found a string',
      "error: config.json discovery.listwaitms: Unknown key 'listwaitms'. Did you mean 'listWaitMs'?",
      "error: config.json discovery.pinning: Expected one of 'off', 'warn', 'block', found 'blok'. Did you mean 'block'?",
      'error: config.json http.port: Expected a number of at most 65535, found 70000',
      'error: config.json http.tokens.alice: Expected a string, found a number',
      "error: config.json sever: Unknown key 'sever'. Did you mean 'discovery'?",
    ])
  })

  it.each([null, 'text', [], 3])('that are %j are none', (value) => {
    const { config, problems } = parse(value)
    expect(config).toEqual(defaultConfig())
    expect(problems).toMatchObject([{ path: '', expected: 'an object', severity: 'error' }])
  })

  it('point someone with a client file to the right key', () => {
    expect(parse({ discovery: { mcpServers: {} } }).problems[0]?.message).toContain("Did you mean 'servers'?")
  })
})

describe('sources', () => {
  it('are read with their places, the wrong ones reported', () => {
    const { sources, problems } = parse({
      discovery: {
        sources: [{ type: 'cursor', scope: 'project' }, { path: 'x' }, { type: 'custom', path: './y.yaml' }],
      },
    })
    expect(sources).toMatchObject([
      { source: { type: 'cursor', scope: 'project' } },
      { source: { type: 'custom', path: './y.yaml' }, place: { path: ['discovery', 'sources', 2] } },
    ])
    expect(problems).toMatchObject([{ path: 'discovery.sources[1].type', found: 'nothing' }])
  })
})

describe('problems', () => {
  const SECRET = 'marker-5ecret'
  const secretLeaf = fc.constantFrom<unknown>(
    SECRET,
    [SECRET],
    { A: SECRET },
    { A: [SECRET] },
    { A: { B: SECRET } },
    1,
    null,
  )
  const secretKeys = fc.constantFrom(
    'command',
    'args',
    'env',
    'headers',
    'url',
    'cwd',
    'type',
    'connection',
    'timeoutMs',
    'odd',
  )
  const server = fc.oneof(
    fc.dictionary(secretKeys, fc.oneof(secretLeaf, fc.dictionary(secretKeys, secretLeaf))),
    secretLeaf,
  )

  it('never show a secret, wherever it was written', () => {
    const anyConfig = fc.record(
      {
        discovery: fc.record({ servers: fc.oneof(fc.array(server), fc.dictionary(fc.constantFrom('a', 'b'), server)) }),
        http: fc.oneof(secretLeaf, fc.dictionary(fc.constantFrom('tokens', 'host', 'port'), secretLeaf)),
        store: fc.oneof(secretLeaf, fc.record({ url: secretLeaf, type: fc.constant('redis') })),
        limits: fc.dictionary(fc.constantFrom('maxHandles', 'odd'), secretLeaf),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(anyConfig, (config) => {
        const { problems } = parse(config)
        expect(JSON.stringify(problems)).not.toContain(SECRET)
        expect(problems.map(renderProblem).join()).not.toContain(SECRET)
      }),
      { numRuns: 200 },
    )
  })

  it('are all there is, whatever the value', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (value, servers) => {
        for (const given of [
          value,
          { discovery: value },
          { discovery: { servers, toolRules: value, sources: servers } },
        ]) {
          const { config, entries, rules } = parse(given)
          expect(config.discovery.enabled).toBeTypeOf('boolean')
          for (const { connection } of entries.servers)
            expect('command' in connection || 'url' in connection).toBe(true)
          for (const rule of rules) expect(rule.pattern.length).toBeGreaterThan(0)
        }
      }),
    )
  })
})
