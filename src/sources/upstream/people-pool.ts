// A bounded set of sources, one per person. If it is full, a new source replaces the source that is idle the longest.

import type { Person } from './auth/person.ts'

interface Closable {
  [Symbol.asyncDispose](): Promise<void>
}

interface PeoplePoolOptions<S extends Closable> {
  readonly maxPeople: number
  /** Identifies the values of the person. If they change, the person gets a new source. */
  valuesKey(person: Person): string
  /** Creates the source of a person. It must not start before `othersClosed` resolves. */
  create(person: Person, othersClosed: Promise<void>): S
}

interface PoolEntry<S> {
  readonly source: S
  readonly valuesKey: string
  uses: number
  /** True if the entry is no longer in the pool, and its source closes after its last call. */
  isLeaving: boolean
}

export function createPeoplePool<S extends Closable>(options: PeoplePoolOptions<S>) {
  const { maxPeople, valuesKey, create } = options
  // A Map keeps the order of insertion. An entry moves to the end when it becomes idle, so the first idle one is the
  // longest idle one.
  const entries = new Map<string, PoolEntry<S>>()
  const leaving = new Set<PoolEntry<S>>()
  const closing = new Set<Promise<void>>()

  const close = (entry: PoolEntry<S>) => {
    leaving.add(entry)
    const closed = entry.source[Symbol.asyncDispose]()
      .catch(() => {})
      .finally(() => {
        leaving.delete(entry)
        closing.delete(closed)
      })
    closing.add(closed)
  }
  /** Removes the entry now, and closes its source when its calls in flight have finished. */
  const retire = (key: string, entry: PoolEntry<S>) => {
    entries.delete(key)
    if (entry.uses === 0) return close(entry)
    entry.isLeaving = true
    leaving.add(entry)
  }
  const makeRoom = (): boolean => {
    // A closing source without calls is not counted, because the new source waits for its end before it starts.
    const busy = [...leaving].filter(({ uses }) => uses > 0).length
    if (entries.size + busy < maxPeople) return true
    const idle = [...entries].find(([, { uses }]) => uses === 0)
    if (idle === undefined) return false
    retire(...idle)
    return true
  }
  const entryOf = (person: Person): PoolEntry<S> | undefined => {
    const values = valuesKey(person)
    const known = entries.get(person.key)
    if (known?.valuesKey === values) return known
    if (known !== undefined) retire(person.key, known)
    if (!makeRoom()) return undefined
    const othersClosed = Promise.all(closing).then(() => {})
    const entry: PoolEntry<S> = { source: create(person, othersClosed), valuesKey: values, uses: 0, isLeaving: false }
    entries.set(person.key, entry)
    return entry
  }
  const leave = (key: string, entry: PoolEntry<S>) => {
    entry.uses--
    if (entry.uses > 0) return
    if (entry.isLeaving) return close(entry)
    if (entries.get(key) !== entry) return
    entries.delete(key)
    entries.set(key, entry)
  }

  return {
    find: ({ key }: Person): S | undefined => entries.get(key)?.source,
    /** Runs the work with the source of this person. Undefined if the pool is full and all its sources are in use. */
    use<T>(person: Person, work: (source: S) => Promise<T>): Promise<T> | undefined {
      const entry = entryOf(person)
      if (entry === undefined) return undefined
      entry.uses++
      return work(entry.source).finally(() => leave(person.key, entry))
    },
    get size() {
      return entries.size
    },
    /** Closes the source of a person, even if calls are in flight. */
    remove({ key }: Person) {
      const entry = entries.get(key)
      if (entry === undefined) return
      entries.delete(key)
      close(entry)
    },
    /** All sources, including those that are closing or will close after their last call. */
    sources: (): readonly S[] => [...entries.values(), ...leaving].map(({ source }) => source),
    async [Symbol.asyncDispose]() {
      for (const entry of entries.values()) close(entry)
      entries.clear()
      for (const entry of leaving) if (entry.isLeaving) close(entry)
      await Promise.all(closing)
    },
  }
}
