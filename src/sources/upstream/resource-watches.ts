// Subscribes to resources of one server, as the protocol era of the server requires.

import type { Client, McpSubscription } from '@modelcontextprotocol/client'
import type { CallOutcome } from './call-outcome.ts'

export interface ResourceWatches {
  watch(uri: string, signal: AbortSignal): Promise<CallOutcome>
  unwatch(uri: string, signal: AbortSignal): Promise<CallOutcome>
}

interface ResourceWatchesOptions {
  readonly client: Client
  readonly era: 'legacy' | 'modern'
  request(method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<CallOutcome>
  failed(error: unknown): CallOutcome
  /** Called if an update may have been missed. */
  onUpdated?(uri: string): void
}

/** How many times a subscription is opened at most, including the first time. */
export const MAX_LISTENS = 5

const DONE: CallOutcome = { kind: 'answered', result: {} }

export function createResourceWatches(options: ResourceWatchesOptions): ResourceWatches {
  const { client, era, request, failed, onUpdated } = options
  if (era === 'legacy') {
    return {
      watch: (uri, signal) => request('resources/subscribe', { uri }, signal),
      unwatch: (uri, signal) => request('resources/unsubscribe', { uri }, signal),
    }
  }
  /** One subscription per URI, because the filter of a subscription cannot be changed. */
  const open = new Map<string, McpSubscription>()
  const listen = (uri: string, signal: AbortSignal) => client.listen({ resourceSubscriptions: [uri] }, { signal })
  /** Opens the subscription again when its stream breaks, up to `MAX_LISTENS` times in all. */
  const keepOpen = async (uri: string, first: McpSubscription, signal: AbortSignal) => {
    let current = first
    for (let listens = 1; (await current.closed) === 'remote' && listens < MAX_LISTENS; listens++) {
      if (open.get(uri) !== current || client.transport === undefined) break
      const renewed = await listen(uri, signal).catch(() => undefined)
      if (renewed === undefined) break
      // `unwatch` was called meanwhile.
      if (open.get(uri) !== current) return renewed.close()
      open.set(uri, renewed)
      current = renewed
      onUpdated?.(uri)
    }
    if (open.get(uri) === current) open.delete(uri)
  }
  /** The last change of each URI that is not done. A change waits for it: `unwatch` must find what `watch` opens. */
  const changes = new Map<string, Promise<CallOutcome>>()
  const inTurn = (uri: string, change: () => Promise<CallOutcome>): Promise<CallOutcome> => {
    const before = changes.get(uri) ?? Promise.resolve(DONE)
    const done = before.then(change, change).finally(() => {
      if (changes.get(uri) === done) changes.delete(uri)
    })
    changes.set(uri, done)
    return done
  }
  return {
    watch: (uri, signal) =>
      inTurn(uri, async () => {
        if (open.has(uri)) return DONE
        try {
          const subscription = await listen(uri, signal)
          if (subscription.honoredFilter.resourceSubscriptions?.includes(uri) !== true) {
            await subscription.close()
            return { kind: 'refused', reason: 'it does not send updates of this resource' }
          }
          open.set(uri, subscription)
          keepOpen(uri, subscription, signal).catch(() => {})
          return DONE
        } catch (error) {
          return failed(error)
        }
      }),
    unwatch: (uri) =>
      inTurn(uri, async () => {
        const subscription = open.get(uri)
        open.delete(uri)
        await subscription?.close()
        return DONE
      }),
  }
}
