import type { Redis } from 'ioredis'
import { describe, expect, it } from 'vitest'
import { parseRedisAddress } from './redis-address.ts'
import type { RedisConnection } from './redis-connection.ts'
import { createRedisEntries } from './redis-entries.ts'
import { createRedisStoreBase } from './redis-store-base.ts'

/**
 * Opens a store in a Redis that answers a change when the test calls a function of `answers`, or at once after the test
 * sets `later.isAccepted`. The order of the answers of a real Redis cannot be chosen.
 */
function openStore() {
  const entries = new Map<string, string>()
  const answers: ((isAccepted: boolean) => void)[] = []
  const later: { isAccepted?: boolean } = {}
  const redis = {
    get: async (name: string) => entries.get(name) ?? null,
    evalsha: (_hash: string, _keys: number, name: string, ...[, , text]: readonly string[]) =>
      new Promise<number>((resolve, reject) => {
        const answer = (isAccepted: boolean) => {
          if (!isAccepted) return reject(new Error("OOM command not allowed when used memory > 'maxmemory'"))
          if (text === undefined) entries.delete(name)
          else entries.set(name, text)
          resolve(1)
        }
        if (later.isAccepted === undefined) answers.push(answer)
        else answer(later.isAccepted)
      }),
  }
  const parsed = parseRedisAddress('redis://host')
  if (!parsed.ok) throw new Error(parsed.reason)
  const connection: RedisConnection = {
    address: parsed.address,
    isDown: false,
    // The tests use only these commands.
    run: (command) => command(redis as unknown as Redis),
    isBack: async () => true,
    subscribe: () => ({ whenLive: Promise.resolve(), end: () => {} }),
    onReturn: () => () => {},
    check: async () => {},
    close: async () => {},
  }
  const base = createRedisStoreBase(connection, 'state', () => {})
  const { methods } = createRedisEntries(base, 'state', { whenSubscribed: async () => {}, tellOwn: () => {} })
  const stored = async (key: string) => JSON.parse(entries.get(base.names.toName(key)) ?? 'null')
  const setAsOther = (key: string, value: unknown) => entries.set(base.names.toName(key), JSON.stringify(value))
  return { store: methods, stored, setAsOther, answers, later }
}

/** Sets an entry twice. Both changes are in flight. */
async function setTwice({ store, answers }: ReturnType<typeof openStore>) {
  const changes = [store.set('a', 'older'), store.set('a', 'newer')]
  await expect.poll(() => answers.length).toBe(2)
  const answer = async (index: number, isAccepted: boolean) => {
    answers[index]?.(isAccepted)
    await changes[index]
  }
  return {
    answerOlder: (isAccepted: boolean) => answer(0, isAccepted),
    answerNewer: (isAccepted: boolean) => answer(1, isAccepted),
  }
}

describe('two changes of an entry in flight to Redis', () => {
  it.each([
    ['before', 'accepts'],
    ['after', 'accepts'],
    ['before', 'refuses'],
    ['after', 'refuses'],
  ])('keep the newer value if Redis refuses the older change %s it %s the newer one', async (order, verb) => {
    const opened = openStore()
    const { store, stored, later } = opened
    const { answerOlder, answerNewer } = await setTwice(opened)
    if (order === 'before') await answerOlder(false)
    await answerNewer(verb === 'accepts')
    if (order === 'after') await answerOlder(false)
    expect(await store.get('a')).toBe('newer')
    later.isAccepted = true
    // After a success, the store writes the changes that it holds.
    await store.set('b', 1)
    await expect.poll(() => stored('a')).toBe('newer')
    expect([await store.get('a'), await stored('b')]).toEqual(['newer', 1])
  })

  it('return the newer value as soon as Redis has refused the older change', async () => {
    const opened = openStore()
    const { answerOlder, answerNewer } = await setTwice(opened)
    await answerOlder(false)
    expect(await opened.store.get('a')).toBe('newer')
    await answerNewer(true)
    expect(await opened.stored('a')).toBe('newer')
  })

  it.each(['before', 'after'])(
    'do not replace a value of another replica if Redis refuses the older change %s it accepts the newer one',
    async (order) => {
      const opened = openStore()
      const { store, stored, setAsOther, later } = opened
      const { answerOlder, answerNewer } = await setTwice(opened)
      if (order === 'before') await answerOlder(false)
      await answerNewer(true)
      setAsOther('a', 'of another replica')
      if (order === 'after') await answerOlder(false)
      later.isAccepted = true
      await store.set('b', 1)
      expect([await store.get('a'), await stored('a')]).toEqual(['of another replica', 'of another replica'])
    },
  )

  it('keep an entry deleted if Redis refuses the older value and accepts the deletion', async () => {
    const { store, stored, answers, later } = openStore()
    const changes = [store.set('a', 1), store.delete('a')]
    await expect.poll(() => answers.length).toBe(2)
    answers[0]?.(false)
    answers[1]?.(true)
    await Promise.all(changes)
    later.isAccepted = true
    await store.set('b', 1)
    expect([await store.get('a'), await stored('a'), await stored('b')]).toEqual([undefined, null, 1])
  })
})
