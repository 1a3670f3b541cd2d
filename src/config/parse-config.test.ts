import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ownDialect } from './dialect.ts'
import { defaultConfig, parseConfig } from './parse-config.ts'
import { renderProblem } from './problem.ts'
import type { EntryLocation } from './server-entry.ts'

const location: EntryLocation = {
  file: 'config.json',
  path: [],
  source: 'config',
  dialect: ownDialect,
  resolvePath: (path) => path,
}
const parse = (value: unknown) => parseConfig(value, location)
const every = { pattern: ['/^/'], enabled: false }

it.each([
  { enabled: 'false' },
  { enabled: 0 },
  { disabled: 'true' },
  { disable: true },
  { disabledTools: 'delete_repo' },
  { disabledTools: [{ name: 'delete_repo' }] },
  { enabledTools: 'list_repos' },
  { 'disabled-tool': ['delete_repo'] },
])('does not serve a server with %j, and reserves its name', (wrong) => {
  const { entries, problems } = parse({
    discovery: { servers: { a: { command: 'x', ...wrong }, b: { command: 'y' } } },
  })
  expect(entries.servers.map(({ name }) => name)).toEqual(['b'])
  expect(entries.refused).toEqual(['a'])
  expect(problems.map(({ severity }) => severity)).toEqual(['error', 'warning'])
  expect(problems.at(-1)).toMatchObject({
    path: 'discovery.servers.a',
    message: "Until this is corrected, server 'a' is not served from this file or from a file with lower precedence",
  })
})

it('does not reserve the name of a server with another kind of error', () => {
  expect(parse({ discovery: { servers: { a: { command: 3 } } } }).entries.refused).toBeUndefined()
})

it('reads servers one by one, and reports errors with their path in the file', () => {
  const { entries, problems } = parse({ discovery: { servers: [{ name: 'a', command: 'x' }, { name: 'b' }] } })
  expect(entries.servers.map(({ name }) => name)).toEqual(['a'])
  expect(problems).toMatchObject([{ path: 'discovery.servers[1]', severity: 'error' }])
})

describe('parseConfig with rules', () => {
  const parseRules = (toolRules: unknown) => parse({ discovery: { toolRules } })

  it('reads rules in order', () => {
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

  const none = { pattern: ['!/^/'] }
  it.each([
    [{ pattern: ['a'], enabled: 'no' }, { pattern: ['a'], enabled: false }, '.enabled', 'disables what it matches'],
    [{ pattern: ['a'], enable: false }, { pattern: ['a'], enabled: false }, '.enable', 'disables what it matches'],
    [{ pattern: ['a'], disabled: true }, { pattern: ['a'], enabled: false }, '.disabled', 'disables what it matches'],
    [{ pattern: [3], server: 's', enabled: false }, { ...every, server: 's' }, '.pattern[0]', "tool of server 's'"],
    [{ patern: ['a'], enabled: false }, every, '.patern', 'disables every tool'],
    [{ pattern: ['a'], server: 's', tag: ['t'] }, { ...none, server: 's', tags: [] }, '.tag', 'adds no tag'],
    [{ pattern: ['a'], tags: 't' }, { ...none, tags: [] }, '.tags', 'adds no tag'],
    [{ pattern: ['a'], category: 3 }, { ...none, tags: [] }, '.category', 'adds no tag'],
    [{ pattern: ['a'], tags: ['t'], deny: true }, every, '.deny', 'disables every tool'],
    [
      { pattern: [3], server: 's', enabled: true },
      { ...none, server: 's', enabled: true },
      '.pattern[0]',
      'enables nothing',
    ],
    [{ enabled: true }, { ...none, enabled: true }, '', 'enables nothing'],
    [{ pattern: ['!*delete*'], note: 'x' }, every, '.note', 'disables every tool'],
    [{ pattern: ['a'], enabled: 'perhaps' }, every, '.enabled', 'disables every tool'],
    ['a', every, '', 'disables every tool'],
  ])('replaces a rule that cannot be read with a safe one: %j', (rule, expected, path, effect) => {
    const { rules, problems } = parseRules([{ pattern: 'first', enabled: true }, rule])
    expect(rules).toEqual([{ pattern: ['first'], enabled: true }, expected])
    expect(problems[0]).toMatchObject({ path: `discovery.toolRules[1]${path}`, severity: 'error' })
    expect(problems.at(-1)).toMatchObject({ path: 'discovery.toolRules[1]', severity: 'warning' })
    expect(problems.at(-1)?.message).toContain(`Until this is corrected, rule 2 `)
    expect(problems.at(-1)?.message).toContain(effect)
  })

  it('says that a rule has neither a pattern nor a server', () => {
    const [problem] = parseRules([{ enabled: false }]).problems
    expect(problem?.message).toBe("Expected 'pattern', 'server' or both, found neither")
  })

  it('disables every tool if the rules are not a list', () => {
    const { rules, problems } = parseRules({ pattern: '*' })
    expect(rules).toEqual([{ pattern: ['/^/'], enabled: false }])
    expect(problems).toMatchObject([
      { path: 'discovery.toolRules', expected: 'a list', found: 'an object' },
      { path: 'discovery.toolRules', message: "Until this is corrected, 'toolRules' disables every tool" },
    ])
  })
})

describe('parseConfig with settings', () => {
  it('fills in the defaults of all settings, except the strategy', () => {
    const config = defaultConfig()
    expect(parse({}).config).toEqual(config)
    expect(config.discovery).not.toHaveProperty('strategy')
    expect(config.discovery).not.toHaveProperty('servers')
  })

  it('reports invalid settings and replaces them with their defaults', () => {
    const { config, problems } = parse({
      discovery: { cache: { enabled: true, ttl: 'long' }, listwaitms: 3 },
      http: { port: 70_000, host: 'localhost', tokens: { alice: 17 } },
      sever: {},
    })
    expect(config).toMatchObject({
      discovery: { cache: { enabled: true, ttl: 3_600 }, listWaitMs: 5_000 },
      http: { port: 3_100, host: 'localhost', tokens: {} },
      audit: { mode: 'lenient' },
    })
    expect(problems.map(renderProblem).sort()).toEqual([
      'error: config.json discovery.cache.ttl: Expected a number, found a string',
      "error: config.json discovery.listwaitms: Unknown key 'listwaitms'. Did you mean 'listWaitMs'?",
      'error: config.json http.port: Expected a number of at most 65535, found 70000',
      'error: config.json http.tokens.alice: Expected a string or an object, found a number',
      "error: config.json sever: Unknown key 'sever'. Did you mean 'discovery.servers'?",
    ])
  })

  it.each([
    ['audit', 'strict'],
    ['audit', true],
    ['audit', { mode: 'Strict' }],
    ['audit', { mode: 'lenient', file: 7 }],
    ['audit', { mode: 'lenient', value: true }],
    ['audti', { mode: 'strict' }],
  ])('makes the audit strict if %s has the invalid value %j', (key, value) => {
    const { config, problems } = parse({ [key]: value })
    expect(config.audit).toMatchObject({ mode: 'strict', values: false })
    expect(problems.map(({ severity }) => severity)).toContain('error')
    expect(problems.at(-1)).toMatchObject({
      path: key,
      severity: 'warning',
      message: "Until this is corrected, 'audit' is strict: a call that cannot be recorded is refused",
    })
  })

  it.each([
    [{ discovery: { enabled: 'false' } }, 'discovery.enabled'],
    [{ discovery: { enable: false } }, 'discovery.enable'],
    [{ discovery: { disabled: true } }, 'discovery.disabled'],
  ])('serves no server if `enabled` cannot be read: %j', (value, path) => {
    const { config, problems } = parse(value)
    expect(config.discovery.enabled).toBe(false)
    expect(problems.at(-1)).toMatchObject({ path, message: 'Until this is corrected, no server is served' })
  })

  it.each([
    [{ http: { whenStoreDown: 'closed' } }, 'http.whenStoreDown'],
    [{ http: { whenStoreIsDown: 'shut' } }, 'http.whenStoreIsDown'],
  ])(
    'uses the safe value of a setting of `http` that cannot be read, and names the key as it is written: %j',
    (value, path) => {
      const { config, problems } = parse(value)
      expect(config.http.whenStoreIsDown).toBe('closed')
      expect(problems.map((problem) => problem.path)).toEqual([path, path])
    },
  )

  it.each([
    [{ discovery: { toolrules: [] } }, 'discovery.toolrules', 'toolRules'],
    [{ discovery: { rules: [{ pattern: '*delete*', enabled: false }] } }, 'discovery.rules', 'toolRules'],
    [{ rules: [] }, 'rules', 'discovery.toolRules'],
    [{ toolRules: [{ pattern: '*delete*', enabled: false }] }, 'toolRules', 'discovery.toolRules'],
  ])('disables every tool if a key is most similar to `toolRules`, and suggests that key: %j', (value, path, meant) => {
    const { rules, problems } = parse(value)
    expect(rules).toEqual([every])
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining(`Did you mean '${meant}'?`),
      'Until this is corrected, every tool is disabled',
    ])
    expect(problems.map((problem) => problem.path)).toEqual([path, path])
  })

  it.each([
    [{ inheritEnv: false }, { inheritEnv: false }],
    [{ audit: { mode: 'strict' } }, { audit: { mode: 'strict' } }],
  ])('uses the safe value of a setting of the root that is written in `discovery`: %j', (discovery, expected) => {
    const { config, problems } = parse({ discovery })
    expect(config).toMatchObject(expected)
    const [name] = Object.keys(discovery)
    expect(problems[0]?.message).toBe(`Unknown key '${name}'. Did you mean '${name}' beside 'discovery'?`)
  })

  it.each([
    [{ http: { tokens: 'secret' } }, { tokens: {} }],
    [{ http: { tokens: { alice: '', bob: 'b' } } }, { tokens: { bob: 'b' } }],
    [{ http: { host: 0 } }, { host: '127.0.0.1' }],
    [{ http: '0.0.0.0' }, { host: '127.0.0.1', tokens: {} }],
  ])('keeps the safe default instead of an invalid value: %j', (value, http) => {
    const { config, problems } = parse(value)
    expect(config.http).toMatchObject(http)
    expect(problems).toHaveLength(1)
  })

  it.each([
    [{ oauth: { audience: 'a', scopes: {} } }, 'http.oauth.issuer', 'Expected a string, found nothing'],
    [{ tls: { cert: 3, key: 'k' } }, 'http.tls.cert', 'Expected a string, found a number'],
    [{ tokens: { alice: { token: 3 } } }, 'http.tokens.alice.token', 'Expected a string, found a number'],
  ])(
    'reports a missing or invalid required key only once, and keeps the rest of the config: %j',
    (http, path, message) => {
      const { config, entries, problems } = parse({
        http: { port: 4_000, ...http },
        discovery: { servers: { a: { command: 'x' } } },
      })
      expect(problems).toMatchObject([{ path, message }])
      expect(entries.servers).toHaveLength(1)
      expect(config.http).toMatchObject({ port: 4_000, tokens: {} })
      expect([config.http.oauth, config.http.tls]).toEqual([undefined, undefined])
    },
  )

  it.each([null, 'text', [], 3])('uses the defaults if the whole config is %j', (value) => {
    const { config, problems } = parse(value)
    expect(config).toEqual(defaultConfig())
    expect(problems).toMatchObject([{ path: '', expected: 'an object', severity: 'error' }])
  })

  it.each([
    [{ strategies: ['mine'] }, 'the result of defineStrategy()'],
    [{ stores: ['mine'] }, 'the result of defineStore()'],
  ])('reports a plugin that is not defined with a function of the package: %j', (plugins, expected) => {
    expect(parse({ plugins }).problems.map(({ message }) => message)).toEqual([`Expected ${expected}, found a string`])
  })

  it('suggests `servers` for the `mcpServers` key of clients', () => {
    expect(parse({ discovery: { mcpServers: {} } }).problems[0]?.message).toContain("Did you mean 'servers'?")
  })
})

describe('parseConfig with sources', () => {
  it('reads sources with their locations, and reports invalid ones', () => {
    const { sources, problems } = parse({
      discovery: {
        sources: [{ type: 'cursor', scope: 'project' }, { path: 'x' }, { type: 'custom', path: './y.yaml' }],
      },
    })
    expect(sources).toMatchObject([
      { source: { type: 'cursor', scope: 'project' } },
      { source: { type: 'custom', path: './y.yaml' }, location: { path: ['discovery', 'sources', 2] } },
    ])
    expect(problems).toMatchObject([{ path: 'discovery.sources[1].type', found: 'nothing' }])
  })
})

describe('parseConfig with any value', () => {
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

  it('never quotes a secret in a problem, for any location of the secret', () => {
    const anyConfig = fc.record(
      {
        discovery: fc.record({ servers: fc.oneof(fc.array(server), fc.dictionary(fc.constantFrom('a', 'b'), server)) }),
        http: fc.oneof(secretLeaf, fc.dictionary(fc.constantFrom('tokens', 'host', 'port'), secretLeaf)),
        store: fc.oneof(secretLeaf, fc.record({ url: secretLeaf, type: fc.constant('redis') })),
        audit: secretLeaf,
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

  it('returns problems instead of throwing, for any value', () => {
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
