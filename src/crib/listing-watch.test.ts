import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Caller } from '../core/call.ts'
import { settle } from './crib.fixture.ts'
import { createListingWatch, type ListingWatch } from './listing-watch.ts'

describe('a listing watch', () => {
  let listing: () => Promise<string>
  let timesRead: number
  let notified: string[]
  let watch: ListingWatch
  const caller = (principal: string): Caller => ({ principal, era: 'modern', transport: 'http' })
  const someone = caller('someone')
  beforeEach(() => {
    timesRead = 0
    notified = []
    listing = async () => 'one'
    watch = createListingWatch({
      audienceOf: ({ principal }) => principal,
      listingOf: () => {
        timesRead++
        return listing()
      },
    })
  })

  const show = async (text: string) => {
    listing = async () => text
    watch.check()
    await settle()
  }
  const listen = async (name = 'a') => {
    const stop = watch.onChange(someone, () => void notified.push(name))
    await settle()
    return stop
  }

  it('notifies only if the bytes of the listing differ', async () => {
    await listen()
    await show('one')
    expect(notified).toEqual([])
    await show('two')
    await show('two')
    expect(notified).toEqual(['a'])
    await show('one')
    expect(notified).toEqual(['a', 'a'])
  })

  it('compares the listing of each caller separately', async () => {
    const listings = new Map([
      ['alice', 'one'],
      ['bob', 'one'],
    ])
    const own = createListingWatch({
      audienceOf: ({ principal }) => principal,
      listingOf: async ({ principal }) => listings.get(principal) ?? '',
    })
    for (const name of ['alice', 'bob']) own.onChange(caller(name), () => void notified.push(name))
    await settle()
    listings.set('alice', 'two')
    own.check()
    await settle()
    expect(notified).toEqual(['alice'])
  })

  it('reads the listing once for callers that share it', async () => {
    const common = createListingWatch({
      audienceOf: () => '',
      listingOf: () => {
        timesRead++
        return listing()
      },
    })
    for (const name of ['alice', 'bob']) common.onChange(caller(name), () => void notified.push(name))
    await settle()
    listing = async () => 'two'
    common.check()
    await settle()
    expect(notified).toEqual(['alice', 'bob'])
    expect(timesRead).toBe(2)
  })

  it('does not notify a caller about changes by its own call', async () => {
    await listen()
    listing = async () => 'two'
    watch.renew(someone)
    watch.renew(caller('nobody'))
    await show('two')
    expect(notified).toEqual([])
    await show('three')
    expect(notified).toEqual(['a'])
  })

  it('reads no listing without listeners', async () => {
    await show('two')
    const stop = await listen()
    stop()
    timesRead = 0
    await show('three')
    expect(timesRead).toBe(0)
  })

  it('forgets the listing when the last listener stops, and compares with the listing at the time of the next listener', async () => {
    const stop = await listen()
    stop()
    listing = async () => 'two'
    await listen('b')
    await show('two')
    expect(notified).toEqual([])
    await show('three')
    expect(notified).toEqual(['b'])
  })

  it('notifies every listener once, except those that unsubscribed', async () => {
    const stop = await listen('a')
    await listen('b')
    await listen('c')
    stop()
    stop()
    await show('two')
    expect(notified).toEqual(['b', 'c'])
  })

  it('compares two changes in order, even if the first takes longer', async () => {
    await listen()
    let release = (_text: string) => {}
    listing = () =>
      new Promise((resolve) => {
        release = resolve
      })
    watch.check()
    await settle()
    listing = async () => 'one'
    watch.check()
    release('two')
    await settle()
    expect(notified).toEqual(['a', 'a'])
  })

  it('ignores a listing that fails, and continues', async () => {
    await listen()
    listing = async () => Promise.reject(new Error('broken'))
    watch.check()
    await settle()
    await show('one')
    expect(notified).toEqual([])
    await show('two')
    expect(notified).toEqual(['a'])
  })

  describe('a listing watch with a listener that throws', () => {
    const unhandled: unknown[] = []
    const note = (reason: unknown) => unhandled.push(reason)
    beforeEach(() => {
      unhandled.length = 0
      process.on('unhandledRejection', note)
    })
    afterEach(() => {
      process.off('unhandledRejection', note)
    })

    it('notifies the other listeners if one of them throws, this time and the next', async () => {
      watch.onChange(someone, () => {
        throw new Error('listener')
      })
      await listen('b')
      await show('two')
      await show('three')
      expect(notified).toEqual(['b', 'b'])
      expect(unhandled).toEqual([])
    })
  })
})
