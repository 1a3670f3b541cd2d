import type { Client, McpSubscription } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { withResolvers } from '../../core/waiting.ts'
import { createResourceWatches } from './resource-watches.ts'

const URI = 'notes://1'
const { signal } = new AbortController()

/** Watches on a modern server. `opened` has a function for each subscription that ends it. */
function modernWatches() {
  const opened: ((how: Awaited<McpSubscription['closed']>) => void)[] = []
  const updated: string[] = []
  const listen: Client['listen'] = async () => {
    const { promise: closed, resolve } = withResolvers<Awaited<McpSubscription['closed']>>()
    opened.push(resolve)
    return { honoredFilter: { resourceSubscriptions: [URI] }, closed, close: async () => resolve('local') }
  }
  const client = { listen, transport: {} } as unknown as Client // only these two members are used
  const watches = createResourceWatches({
    client,
    era: 'modern',
    request: () => Promise.reject(new Error('not part of this test')),
    failed: (error) => ({ kind: 'refused', reason: String(error) }),
    onUpdated: (uri) => updated.push(uri),
  })
  return { watches, opened, updated }
}

describe('the watch of a resource of a modern server', () => {
  it('opens only one subscription for two watches of the same resource, one after the other', async () => {
    const { watches, opened, updated } = modernWatches()
    expect(await watches.watch(URI, signal)).toMatchObject({ kind: 'answered' })
    expect(await watches.watch(URI, signal)).toMatchObject({ kind: 'answered' })
    expect(opened).toHaveLength(1)
    expect(updated).toEqual([])
  })

  it('opens a subscription again if its stream breaks, and reports an update that may have been missed', async () => {
    const { watches, opened, updated } = modernWatches()
    await watches.watch(URI, signal)
    opened[0]?.('remote')
    await expect.poll(() => updated).toEqual([URI])
    expect(opened).toHaveLength(2)
  })

  it('opens a subscription at most five times if its stream breaks each time', async () => {
    const { watches, opened } = modernWatches()
    await watches.watch(URI, signal)
    for (let breaks = 1; breaks < 5; breaks++) {
      opened.at(-1)?.('remote')
      await expect.poll(() => opened).toHaveLength(breaks + 1)
    }
    opened.at(-1)?.('remote')
    await new Promise((resolve) => setImmediate(resolve))
    expect(opened).toHaveLength(5)
  })

  it('does not open a subscription again after the server or the client has ended it', async () => {
    const { watches, opened } = modernWatches()
    await watches.watch(URI, signal)
    opened[0]?.('graceful')
    await new Promise((resolve) => setImmediate(resolve))
    expect(opened).toHaveLength(1)
    await watches.watch(URI, signal)
    expect(opened).toHaveLength(2)
    await watches.unwatch(URI, signal)
    await new Promise((resolve) => setImmediate(resolve))
    expect(opened).toHaveLength(2)
  })

  it('closes a subscription that is not answered yet when it is no longer wanted', async () => {
    const { watches, opened } = modernWatches()
    void watches.watch(URI, signal)
    await watches.unwatch(URI, signal)
    expect(opened).toHaveLength(1)
    // A subscription that was left open would be used again.
    await watches.watch(URI, signal)
    expect(opened).toHaveLength(2)
  })

  it('opens only one subscription for two watches at the same time', async () => {
    const { watches, opened } = modernWatches()
    await Promise.all([watches.watch(URI, signal), watches.watch(URI, signal)])
    expect(opened).toHaveLength(1)
  })
})
