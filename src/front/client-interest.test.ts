import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { Features } from '../crib/features.ts'
import { createWatches, MAX_WATCHED } from './client-interest.ts'

function open() {
  const watched = new Map<string, number>()
  const change = (uri: string, by: number) => void watched.set(uri, (watched.get(uri) ?? 0) + by)
  const updates = {
    watch: async (uri: string) => {
      change(uri, 1)
      return { ok: true, result: {} } as const
    },
    unwatch: async (uri: string) => change(uri, -1),
    onUpdate: () => () => {},
  }
  const features = { updates } as unknown as Features // the only field that is used
  const watches = createWatches(features, () => {})
  // Has only the parts of a response that are used: `destroyed`, `destroy` and the close event.
  const answer = () => {
    const response = Object.assign(new EventEmitter(), { destroyed: false, destroy: () => (response.destroyed = true) })
    return response as unknown as ServerResponse
  }
  return { watches, answer, held: () => [...watched].filter(([, count]) => count > 0).map(([uri]) => uri) }
}

describe('resource subscriptions over HTTP', () => {
  it('keeps resource subscriptions until the response closes', () => {
    const { watches, answer, held } = open()
    const stream = answer()
    watches.keep('alice', ['a', 'b'], stream)
    expect(held()).toEqual(['a', 'b'])
    stream.emit('close')
    expect(held()).toEqual([])
  })

  it('limits the subscriptions of a principal over all of its streams', () => {
    const { watches, answer } = open()
    const uris = Array.from({ length: MAX_WATCHED }, (_, at) => `r-${at}`)
    const stream = answer()
    expect(watches.admits('alice', uris)).toBe(true)
    watches.keep('alice', uris, stream)
    expect(watches.admits('alice', ['one more'])).toBe(false)
    expect(watches.admits('bob', uris)).toBe(true)
    stream.emit('close')
    expect(watches.admits('alice', uris)).toBe(true)
  })

  it('closes the response of a request that was admitted at the same time and exceeds the limit', () => {
    const { watches, answer, held } = open()
    const uris = (of: string) => Array.from({ length: MAX_WATCHED }, (_, at) => `${of}-${at}`)
    const [first, second] = [answer(), answer()]
    expect([watches.admits('alice', uris('a')), watches.admits('alice', uris('b'))]).toEqual([true, true])
    watches.keep('alice', uris('a'), first)
    watches.keep('alice', uris('b'), second)
    expect([first.destroyed, second.destroyed]).toEqual([false, true])
    expect(held()).toHaveLength(MAX_WATCHED)
  })
})
