import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ServerConfig } from '../../config/server-config.ts'
import { keepFailures, rememberFailures } from './failed-starts.ts'
import { startableOf } from './served-config.ts'
import { failuresFile, notStartable, recentFailures, unusableServers } from './unreachable.ts'

const place = { configDir: '/nowhere', home: '/nowhere', platform: 'linux' } as const
const servers = ['a', 'b'].map((id) => ({ id, key: `key-of-${id}`, variables: [] }))

const server = (name: string): ServerConfig => ({
  name,
  enabled: true,
  connection: { type: 'stdio', command: name, args: [], env: {} },
  origin: { source: 'config', file: 'config.json' },
})

describe('the failed starts of the last minutes', () => {
  let cacheDir: string
  beforeEach(() => {
    cacheDir = mkdtempSync(join(tmpdir(), 'toolcrib-failures-'))
  })
  afterEach(() => rmSync(cacheDir, { recursive: true, force: true }))

  it('a failed server is unusable until it lists its tools', async () => {
    const at = Date.now()
    await rememberFailures({ cacheDir, env: {} }, servers, new Map([['a', { reason: 'it has ended' }]]))
    const unusable = (listedAt?: number) => {
      const source = { id: 'a', ...(listedAt === undefined ? {} : { listedAt }) }
      return Object.fromEntries(unusableServers({ cacheDir, env: {}, ...place }, servers, [source, { id: 'b' }]))
    }
    const failed = { a: { state: 'failed', reason: 'it has ended' } }
    expect(unusable()).toEqual(failed)
    expect(unusable(at - 1)).toEqual(failed)
    expect(unusable(Date.now())).toEqual({})
  })

  it('a failed server is not started again unless `isPatient` is true', async () => {
    await rememberFailures({ cacheDir, env: {} }, servers, new Map([['a', { reason: 'it has ended' }]]))
    const environment = { cacheDir, env: {}, configDir: '/none', home: '/none', platform: 'linux' } as const
    expect([...notStartable(servers, environment, false).keys()]).toEqual(['a'])
    expect([...notStartable(servers, environment, true).keys()]).toEqual([])
  })

  it('failed starts are written once per period, and the remaining ones on close', async () => {
    const configured = [server('one'), server('two')]
    const keeper = keepFailures({ cacheDir, env: {} }, () => configured, 50)
    keeper.note('one', { reason: 'first reason' })
    keeper.note('one', { reason: 'second reason', loginCommand: 'toolcrib login one' })
    const read = () => recentFailures({ cacheDir }, configured.map(startableOf))
    expect(read().size).toBe(0)
    const one = { reason: 'second reason', loginCommand: 'toolcrib login one' }
    await vi.waitFor(() => expect(Object.fromEntries(read())).toEqual({ one }))
    const before = readFileSync(failuresFile(cacheDir), 'utf8')
    keeper.note('two', { reason: 'third reason' })
    expect(readFileSync(failuresFile(cacheDir), 'utf8')).toBe(before)
    await keeper.close()
    expect(Object.fromEntries(read())).toEqual({ one, two: { reason: 'third reason' } })
  })
})
