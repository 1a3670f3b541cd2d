import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Person, remotePerson } from './auth/person.ts'
import { createPeoplePool } from './people-pool.ts'

interface FakeSource {
  readonly owner: string
  readonly othersClosed: Promise<void>
  isClosed: boolean
  [Symbol.asyncDispose](): Promise<void>
}

function poolOf(maxPeople: number, values: (person: Person) => string = () => '') {
  const made: FakeSource[] = []
  const pool = createPeoplePool<FakeSource>({
    maxPeople,
    valuesKey: values,
    create(person, othersClosed) {
      const source: FakeSource = {
        owner: person.key,
        othersClosed,
        isClosed: false,
        async [Symbol.asyncDispose]() {
          await Promise.resolve()
          source.isClosed = true
        },
      }
      made.push(source)
      return source
    },
  })
  return { pool, made, open: () => made.filter(({ isClosed }) => !isClosed) }
}

const [alice, bob, carol] = [remotePerson('alice'), remotePerson('bob'), remotePerson('carol')]

/** Work that lasts until `end` is called. */
function pending() {
  let end = () => {}
  const done = new Promise<void>((resolve) => {
    end = resolve
  })
  return { done, end }
}

describe('a pool of people', () => {
  it('gives each person the same source again, and never the source of another', async () => {
    const { pool, made } = poolOf(10)
    const owners = await Promise.all(
      [alice, bob, alice, carol, bob].map((person) => pool.use(person, async ({ owner }) => owner)),
    )
    expect(owners).toEqual([alice, bob, alice, carol, bob].map(({ key }) => key))
    expect(made).toHaveLength(3)
  })

  it('closes the source that is idle the longest before the source of a new person starts', async () => {
    const { pool, made } = poolOf(2)
    await pool.use(alice, async () => {})
    await pool.use(bob, async () => {})
    await pool.use(alice, async () => {})
    await pool.use(carol, async ({ othersClosed }) => {
      await othersClosed
      expect(made.map(({ isClosed }) => isClosed)).toEqual([false, true, false])
    })
    expect(pool.find(bob)).toBeUndefined()
    expect(pool.size).toBe(2)
  })

  it('refuses a new person while all sources are in use', async () => {
    const { pool } = poolOf(2)
    const [one, two] = [pending(), pending()]
    const running = [pool.use(alice, () => one.done), pool.use(bob, () => two.done)]
    expect(pool.use(carol, async () => {})).toBeUndefined()
    // The others still have their sources.
    expect(await pool.use(alice, async ({ owner }) => owner)).toBe(alice.key)
    two.end()
    await running[1]
    expect(await pool.use(carol, async ({ owner }) => owner)).toBe(carol.key)
    one.end()
    await running[0]
  })

  it('creates a new source after the values of a person have changed, and closes the old one after its last call', async () => {
    let token = 'old'
    const { pool, made } = poolOf(10, () => token)
    const { done, end } = pending()
    const running = pool.use(alice, () => done)
    token = 'new'
    await pool.use(alice, async (source) => expect(source).toBe(made[1]))
    expect(made.map(({ isClosed }) => isClosed)).toEqual([false, false])
    end()
    await running
    await expect.poll(() => made.map(({ isClosed }) => isClosed)).toEqual([true, false])
  })

  it('counts a source with old values until its last call has ended', async () => {
    let token = 'old'
    const { pool } = poolOf(1, () => token)
    const { done, end } = pending()
    const running = pool.use(alice, () => done)
    token = 'new'
    expect(pool.use(alice, async () => {})).toBeUndefined()
    end()
    await running
    expect(pool.use(alice, async () => {})).toBeDefined()
  })

  it('closes the source of a removed person at once', async () => {
    const { pool, made } = poolOf(10)
    const { done, end } = pending()
    const running = pool.use(alice, () => done)
    pool.remove(alice)
    await expect.poll(() => made[0]?.isClosed).toBe(true)
    end()
    await running
    expect(pool.find(alice)).toBeUndefined()
  })

  it('closes all sources when the pool is disposed, those with calls in flight too', async () => {
    let token = 'old'
    const { pool, open } = poolOf(10, () => token)
    const running = pending()
    const old = pool.use(alice, () => running.done)
    token = 'new'
    await pool.use(alice, async () => {})
    await pool.use(bob, async () => {})
    await pool[Symbol.asyncDispose]()
    expect(open()).toEqual([])
    running.end()
    await old
  })

  it('a pool keeps its bound and never mixes people, for any order of calls', async () => {
    const step = fc.record({ person: fc.integer({ min: 0, max: 6 }), lasts: fc.integer({ min: 0, max: 3 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), async (steps, max) => {
        const { pool, open } = poolOf(max)
        const running: Promise<unknown>[] = []
        for (const { person, lasts } of steps) {
          const who = remotePerson(`p${person}`)
          const used = pool.use(who, async ({ owner, othersClosed }) => {
            await othersClosed
            expect(open().length).toBeLessThanOrEqual(max)
            for (let turn = 0; turn < lasts; turn++) await Promise.resolve()
            expect(owner).toBe(who.key)
          })
          if (used !== undefined) running.push(used)
          expect(pool.size).toBeLessThanOrEqual(max)
        }
        await Promise.all(running)
        await pool[Symbol.asyncDispose]()
        expect(open()).toEqual([])
      }),
      { numRuns: 200 },
    )
  })
})
