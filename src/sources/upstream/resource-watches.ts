// Subscribes to resources of one server, in the way of its protocol era.

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
  /** Converts an error to an outcome. */
  failed(error: unknown): CallOutcome
}

const DONE: CallOutcome = { kind: 'answered', result: {} }

export function createResourceWatches({ client, era, request, failed }: ResourceWatchesOptions): ResourceWatches {
  if (era === 'legacy') {
    return {
      watch: (uri, signal) => request('resources/subscribe', { uri }, signal),
      unwatch: (uri, signal) => request('resources/unsubscribe', { uri }, signal),
    }
  }
  /** One subscription per URI, because the filter of a subscription cannot be changed. */
  const open = new Map<string, McpSubscription>()
  return {
    async watch(uri, signal) {
      if (open.has(uri)) return DONE
      try {
        const subscription = await client.listen({ resourceSubscriptions: [uri] }, { signal })
        if (subscription.honoredFilter.resourceSubscriptions?.includes(uri) !== true) {
          await subscription.close()
          return { kind: 'refused', reason: 'it does not send updates of this resource' }
        }
        open.set(uri, subscription)
        return DONE
      } catch (error) {
        return failed(error)
      }
    },
    async unwatch(uri) {
      const subscription = open.get(uri)
      open.delete(uri)
      await subscription?.close()
      return DONE
    },
  }
}
