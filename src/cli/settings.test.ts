// Every setting that the schema accepts has an effect: a key that the program never reads fails here.

import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Config, ruleSchema, settingsSchema, sourceSchema } from '../config/config.ts'
import { readServers, serverSchema } from '../config/config-entry.ts'
import { ownDialect } from '../config/dialect.ts'
import { load } from '../config/load/load.fixture.ts'
import { parseConfig } from '../config/parse-config.ts'
import type { EntryLocation } from '../config/server-entry.ts'
import { tempFolder } from '../config/temp-folder.fixture.ts'
import { createGateway } from '../crib/from-config.ts'
import { namedTokens, oauthIn } from './checks/named-tokens.ts'
import { describeHttp, doorOptions } from './serving/front-door.ts'
import { isShared } from './serving/serve-gateway.ts'
import { openMetrics } from './serving/serve-metrics.ts'
import { chooseStrategy } from './strategy/choose-strategy.ts'

/**
 * The lists, `allowEnv` and `discovery.enabled` have their own tests below. Only editors read `$schema`. The loader
 * reads `plugins.importers` before there is a config (test/extending.test.ts). `whenStoreIsDown` is read only with a
 * store that gateways share (test/team/shared-state.test.ts).
 */
const TESTED_ELSEWHERE = [
  '$schema',
  'allowEnv',
  'discovery.enabled',
  'discovery.servers',
  'discovery.sources',
  'discovery.toolRules',
  'http.whenStoreIsDown',
  'limits.whenStoreIsDown',
  'plugins.importers',
]

/** Uses every part of the configuration as `serve` does, without starting a server. */
async function useAll(config: Config): Promise<void> {
  const folder = tempFolder()
  const loaded = { ...(await load(folder)), config }
  chooseStrategy(loaded, {}, {})
  namedTokens(loaded)
  if (config.http.oauth !== undefined) oauthIn(config.http.oauth)
  const flags = { auth: true, demo: false, explain: false }
  doorOptions(config, { ...flags, http: true })
  isShared(config, { ...flags, http: false })
  describeHttp({ loaded }, { url: 'http://localhost' }, undefined)
  const gateway = await createGateway({
    name: 'test',
    version: '1.0.0',
    env: {},
    stateDir: folder.at('state'),
    cacheDir: folder.at('cache'),
    load: async () => loaded,
    onProblem: ({ message }) => expect.fail(message),
    observe: async (config) => (await openMetrics(config, () => ({})))?.observer,
  })
  const caller = { principal: 'test', era: 'direct', transport: 'direct' } as const
  await gateway.crib.call('search_tools', { query: 'x' }, { caller, signal: AbortSignal.timeout(10_000) })
  await gateway[Symbol.asyncDispose]()
}

describe('the settings of the schema', () => {
  it('every setting of the schema is read when a gateway serves, except those that are tested elsewhere', async () => {
    const reads = new Set<string>()
    // `parseConfig` adds the settings that have a default. The others are given here.
    const plugins = { strategies: [], rankers: [], sources: [], stores: [], importers: [] }
    const oauth = {
      issuer: 'https://login.example.com',
      audience: 'x',
      jwksUri: 'https://login.example.com/jwks',
      scopes: {},
    }
    const http = { tokens: { alice: 'a-token-of-some-length' }, tls: { cert: 'cert.pem', key: 'key.pem' }, oauth }
    const config = parseConfig({ http, plugins }, location).config
    await useAll(recording(config, [], reads))
    const unread = leavesOf(settingsSchema).filter((path) => !reads.has(path) && !TESTED_ELSEWHERE.includes(path))
    expect(unread).toEqual([])
  })

  it('a configuration is loaded without its servers if discovery.enabled is false', async () => {
    const folder = tempFolder()
    const write = (enabled: boolean) =>
      folder.write('c.json', { discovery: { enabled, servers: { a: { command: 'x' } } } })
    expect((await load(folder, { explicit: write(true) })).servers).toHaveLength(1)
    expect((await load(folder, { explicit: write(false) })).servers).toHaveLength(0)
  })

  it('allowEnv lets a server of the user set NODE_OPTIONS, which is otherwise a problem', async () => {
    const folder = tempFolder()
    const write = (allowEnv: readonly string[]) =>
      folder.write('c.json', { allowEnv, discovery: { servers: { a: { command: 'x', env: { NODE_OPTIONS: '-v' } } } } })
    expect((await load(folder, { explicit: write([]) })).problems).toHaveLength(1)
    expect((await load(folder, { explicit: write(['NODE_OPTIONS']) })).problems).toHaveLength(0)
  })
})

const location: EntryLocation = {
  file: 'c.json',
  path: [],
  source: 'config',
  dialect: ownDialect,
  resolvePath: (path) => `/abs/${path}`,
}

/** A value for each key. Lists such as `enabledTools` become rules. */
const ENTRY: Readonly<Record<string, unknown>> = {
  title: 'A title',
  description: 'What it does',
  enabled: false,
  timeoutMs: 5,
  idleMs: 5,
  tools: [{ name: 'x' }],
  type: 'sse',
  command: 'y',
  args: ['z'],
  env: { A: 'b' },
  envFile: 'f',
  cwd: 'd',
  inheritEnv: false,
  allowEnv: ['NODE_OPTIONS'],
  url: 'https://a.example',
  headers: { A: 'b' },
  auth: { clientId: 'c' },
  serverUrl: 'https://b.example',
  httpUrl: 'https://c.example',
  disabled: true,
  includeContext: true,
  perPrincipal: true,
  enabledTools: ['x'],
  includeTools: ['x'],
  disabledTools: ['x'],
  excludeTools: ['x'],
  name: 'other',
  connection: { command: 'other' },
}
/** Keys of clients that ask the user before a call. A pasted entry may contain them; the gateway ignores them. */
const IGNORED = ['alwaysAllow', 'autoApprove', 'trust']

describe('a config entry', () => {
  const read = (entry: object) => {
    const { servers, rules } = readServers([entry], location, 'error')
    return JSON.stringify([servers, rules])
  }

  it.each(Object.keys(serverSchema.shape).filter((key) => !IGNORED.includes(key)))(
    "the key '%s' in the config entry of a server has an effect",
    (key) => {
      expect(ENTRY).toHaveProperty(key)
      const isAddress = /url|headers|type|auth/i.test(key)
      const base = { name: 'a', ...(isAddress ? { url: 'https://x.example' } : { command: 'x' }) }
      const { url: _url, ...withoutUrl } = { url: '', ...base }
      const { command: _command, ...withoutCommand } = { command: '', ...base }
      const given = key === 'connection' ? withoutCommand : /[a-z]Url/.test(key) ? withoutUrl : base
      expect(read({ ...given, [key]: ENTRY[key] })).not.toBe(read(base))
    },
  )

  it.each(Object.keys(sourceSchema.shape))("the config entry of a source keeps its key '%s'", (key) => {
    const source = { type: 'cursor', path: './x.json', scope: 'project' }
    const { sources } = parseConfig({ discovery: { sources: [source] } }, location)
    expect(sources[0]?.source).toHaveProperty(key, source[key as keyof typeof source]) // a key of the schema
  })

  it.each(Object.keys(ruleSchema.shape))("the config entry of a rule keeps its key '%s'", (key) => {
    const rule = { pattern: ['x'], server: 's', enabled: false, tags: ['t'], category: 'c' }
    expect(parseConfig({ discovery: { toolRules: [rule] } }, location).rules[0]).toHaveProperty(key)
  })
})

/** Records each leaf that is read by name. Copying a whole object would read all its keys, so a copy fails the test. */
function recording<T extends object>(value: T, path: readonly string[], reads: Set<string>): T {
  return new Proxy(value, {
    get(target, key) {
      const inner: unknown = Reflect.get(target, key)
      if (typeof key !== 'string') return inner
      const at = [...path, key]
      reads.add(at.join('.'))
      const isGroup =
        typeof inner === 'object' && inner !== null && !Array.isArray(inner) && !RECORDS.includes(at.join('.'))
      return isGroup ? recording(inner, at, reads) : inner
    },
    ownKeys: () => expect.fail(`'${path.join('.') || 'the configuration'}' is copied or listed as a whole`),
  })
}

/** Objects with keys that the user chooses. Their keys are not in the schema. */
const RECORDS = ['http.tokens', 'http.oauth.scopes', 'discovery.strategyOptions', 'people']

function leavesOf(schema: z.core.$ZodType, path: readonly string[] = []): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return leavesOf(schema.unwrap(), path)
  }
  if (!(schema instanceof z.ZodObject)) return [path.join('.')]
  return Object.entries(schema.shape).flatMap(([key, inner]) => leavesOf(inner, [...path, key]))
}
