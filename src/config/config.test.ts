import { describe, expect, it } from 'vitest'
import { type ConfigFileInput, configSchema } from './config.ts'

describe('the config schema', () => {
  const full: ConfigFileInput = {
    discovery: {
      enabled: true,
      strategy: 'gateway',
      strategyOptions: { limit: 5 },
      cache: { enabled: true, ttl: 60 },
      servers: [
        {
          name: 'github',
          description: 'GitHub API integration',
          connection: { type: 'stdio', command: 'npx', args: ['-y', 'server-github'] },
        },
      ],
      sources: [
        { type: 'custom', path: './more.yaml' },
        { type: 'cursor', scope: 'project' },
      ],
      toolRules: [
        { pattern: ['*github*', '/issue/'], enabled: true, tags: ['github'] },
        { server: 'files', enabled: false },
      ],
      passthrough: true,
      search: { learn: false },
      listWaitMs: 100,
    },
    http: { host: '127.0.0.1', port: 0, tokens: { alice: 'abc' } },
    audit: { mode: 'strict', file: 'audit.jsonl', values: false },
    limits: { maxResultTokens: 24_000 },
  }

  it('accepts a config with many settings', () => {
    expect(configSchema.safeParse(full).error).toBeUndefined()
  })

  it('accepts an empty config and fills in the defaults', () => {
    expect(configSchema.parse({})).toMatchObject({
      discovery: {
        enabled: true,
        cache: { enabled: true, ttl: 3_600 },
        passthrough: false,
        search: { learn: true },
        listWaitMs: 5_000,
      },
      http: { host: '127.0.0.1', port: 3_100, tokens: {} },
      audit: { mode: 'lenient', values: false },
      store: 'file',
      limits: {},
    })
  })

  it('accepts servers by key, in our own format and in the format of clients', () => {
    const servers: NonNullable<ConfigFileInput['discovery']>['servers'] = {
      a: { command: 'npx', args: ['x'], env: { PORT: 80 } },
      b: { type: 'http', url: 'https://b.example', headers: { 'X-A': 'b' } },
      c: { name: 'The third', connection: { command: 'y' } },
    }
    expect(configSchema.safeParse({ discovery: { servers } }).error).toBeUndefined()
  })

  it.each<[string, (ms: number) => ConfigFileInput]>([
    ['limits.startTimeoutMs', (startTimeoutMs) => ({ limits: { startTimeoutMs } })],
    ['limits.idleMs', (idleMs) => ({ limits: { idleMs } })],
    ['limits.drainMs', (drainMs) => ({ limits: { drainMs } })],
    ['limits.sharedIdleMs', (sharedIdleMs) => ({ limits: { sharedIdleMs } })],
    ['discovery.listWaitMs', (listWaitMs) => ({ discovery: { listWaitMs } })],
    ['idleMs of a server', (idleMs) => ({ discovery: { servers: [{ name: 'a', command: 'x', idleMs }] } })],
  ])('refuses a value of %s that is too long for a timer', (_, configWith) => {
    expect(configSchema.safeParse(configWith(2_147_483_647)).error).toBeUndefined()
    expect(configSchema.safeParse(configWith(2_147_483_648)).success).toBe(false)
  })
})
