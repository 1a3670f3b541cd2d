import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { rememberFailures } from './remember-failures.ts'
import { notStartable, unusableServers } from './unreachable.ts'

const servers = ['a', 'b'].map((id) => ({ id, key: `key-of-${id}`, variables: [] }))

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
      return Object.fromEntries(unusableServers({ cacheDir, env: {} }, servers, [source, { id: 'b' }]))
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
})
