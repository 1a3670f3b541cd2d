import { setMaxListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createSlots, type SlotResult, type Slots } from './slots.ts'

const never = new AbortController().signal
// Each waiting call adds a listener.
setMaxListeners(0, never)

/** Lets calls enter, and records the order in which they start. */
function line(slots: Slots, limit: number) {
  const started: string[] = []
  const leaves = new Map<string, () => void>()
  const results: Promise<SlotResult>[] = []
  return {
    started,
    results,
    enter(name: string, group = 'one', signal: AbortSignal = never) {
      const note = (result: SlotResult) => {
        if (result.kind !== 'free') return result
        started.push(name)
        leaves.set(name, result.leave)
        return result
      }
      const entered = slots.enter('key', limit, group, signal)
      if ('then' in entered) results.push(entered.then(note))
      else note(entered)
      return entered
    },
    async leave(name: string) {
      leaves.get(name)?.()
      await Promise.resolve()
      await Promise.resolve()
    },
  }
}

describe('slots', () => {
  it('a call enters at once while a slot is free, without a promise', async () => {
    const slots = createSlots()
    const { enter, leave, started } = line(slots, 2)
    expect([enter('a'), enter('b')]).toMatchObject([{ kind: 'free' }, { kind: 'free' }])
    expect(enter('c')).toBeInstanceOf(Promise)
    expect(started).toEqual(['a', 'b'])
    await leave('a')
    expect(started).toEqual(['a', 'b', 'c'])
    await leave('b')
    await leave('c')
    expect(slots.size).toBe(0)
  })

  it('each group gets its turn, so that a group with many calls does not keep others waiting', async () => {
    const { enter, leave, started } = line(createSlots(), 1)
    for (const name of ['a1', 'a2', 'a3', 'a4']) void enter(name, 'a')
    void enter('b1', 'b')
    void enter('c1', 'c')
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3']) await leave(name)
    expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'a4'])
  })

  it('a call is refused if too many calls of its group wait, but not a call of another group', () => {
    const { enter } = line(createSlots({ maxWaiting: 2 }), 1)
    for (const name of ['a1', 'a2', 'a3']) void enter(name, 'a')
    expect(enter('a4', 'a')).toEqual({ kind: 'full' })
    expect(enter('b1', 'b')).toBeInstanceOf(Promise)
  })

  it('a call that has waited too long is refused', async () => {
    const slots = createSlots({ maxWaitMs: 20 })
    const { enter, leave, results, started } = line(slots, 1)
    void enter('a')
    void enter('b')
    expect(await Promise.all(results)).toEqual([{ kind: 'full' }])
    await leave('a')
    expect(started).toEqual(['a'])
    expect(slots.size).toBe(0)
  })

  it('a cancelled call stops waiting, and the next one gets its turn', async () => {
    const { enter, leave, results, started } = line(createSlots(), 1)
    const cancelling = new AbortController()
    void enter('a')
    void enter('b', 'one', cancelling.signal)
    void enter('c')
    cancelling.abort()
    expect(await results[0]).toEqual({ kind: 'cancelled' })
    await leave('a')
    expect(started).toEqual(['a', 'c'])
    expect(enter('d', 'one', cancelling.signal)).toEqual({ kind: 'cancelled' })
  })

  it('a slot is freed once, even if a call leaves twice', async () => {
    const { enter, leave, started } = line(createSlots(), 1)
    for (const name of ['a', 'b', 'c']) void enter(name)
    await leave('a')
    await leave('a')
    expect(started).toEqual(['a', 'b'])
  })

  it('waiting calls enter when the limit is raised', async () => {
    const slots = createSlots()
    const before = line(slots, 1)
    for (const name of ['a', 'b', 'c']) void before.enter(name)
    void line(slots, 4).enter('d')
    await Promise.all(before.results)
    expect(before.started).toEqual(['a', 'b', 'c'])
  })

  it('slots never run more calls than the limit, and all calls run in the end', async () => {
    const slots = createSlots()
    let [running, most, done] = [0, 0, 0]
    const call = async (at: number) => {
      const entered = await slots.enter('key', 3, `group ${at % 4}`, never)
      if (entered.kind !== 'free') return expect.fail(entered.kind)
      running++
      most = Math.max(most, running)
      for (let turn = 0; turn < at % 5; turn++) await Promise.resolve()
      running--
      done++
      entered.leave()
    }
    await Promise.all(Array.from({ length: 200 }, (_, at) => call(at)))
    expect({ most, done, size: slots.size }).toEqual({ most: 3, done: 200, size: 0 })
  })
})
