// A search while servers list their tools, with a slow disk and with garbage collection.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { StdioConnection } from '../../../src/config/server-config.ts'
import { createCrib } from '../../../src/crib/crib.ts'
import { fixture, sourceOf } from '../../../src/sources/upstream/upstream.fixture.ts'
import { createMemoryStore } from '../../../src/storage/memory.ts'
import type { Store } from '../../../src/storage/store.ts'
import { covers } from './harness.ts'

/** Runs in this process, because a test cannot control the disk or the garbage collector of another process. */
function gatewayTo(connection: StdioConnection, listWaitMs: number, store: Store = createMemoryStore()) {
  const { source } = sourceOf(connection, { store })
  const crib = createCrib({
    about: { name: 'g', version: '1' },
    sources: [source],
    strategy: 'gateway',
    catalog: { listWaitMs },
  })
  onTestFinished(() => crib[Symbol.asyncDispose]())
  const caller = { principal: 'test', era: 'direct', transport: 'direct' } as const
  return {
    async search(query: string) {
      const { signal } = new AbortController()
      return (await crib.call('search_tools', { query }, { caller, signal })).data
    },
  }
}

/** The `gc` function of `node --expose-gc`. */
function collector(): () => void {
  setFlagsFromString('--expose-gc')
  onTestFinished(() => setFlagsFromString('--no-expose-gc'))
  return runInNewContext('gc')
}

describe('a search', () => {
  it('a search finds the tools of a server while its manifest is still being written', async () => {
    covers('CA-3')
    const memory = createMemoryStore()
    let finish = () => {}
    const writing = new Promise<void>((resolve) => {
      finish = resolve
    })
    onTestFinished(() => finish())
    const slow: Store = { ...memory, set: (...given) => writing.then(() => memory.set(...given)) }
    const { search } = gatewayTo(fixture('notes'), 50, slow)
    await expect
      .poll(() => search('add a note'), { interval: 100, timeout: 10_000 })
      .toMatchObject({
        results: expect.arrayContaining([expect.objectContaining({ server: 'tested', tool: 'add' })]),
      })
  })

  it('a search waits at most listWaitMs for a server that hangs, even during garbage collection', async () => {
    covers('LC-13')
    const { search } = gatewayTo(fixture('hang'), 300)
    const collect = collector()
    const collecting = setInterval(collect, 50)
    onTestFinished(() => clearInterval(collecting))
    const patience = new Promise((resolve) => setTimeout(resolve, 5_000, 'still waiting').unref())
    expect(await Promise.race([search('anything'), patience])).toMatchObject({
      results: [],
      reason: expect.stringContaining("Still starting: 'tested'"),
    })
  })
})
