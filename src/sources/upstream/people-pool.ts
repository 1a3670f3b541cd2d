// A bounded set of sources, one per person. The longest idle one makes room for another person.

import type { Person } from './person.ts'

/** The part of a source that the pool needs. */
interface Closable {
  [Symbol.asyncDispose](): Promise<void>
}

interface PeoplePoolOptions<S extends Closable> {
  readonly maxPeople: number
  /** Identifies the values of the person. If they change, the person gets a new source. */
  valuesKey(person: Person): string
  /** Creates the source of a person. It must not start before `room` resolves. */
  create(person: Person, room: Promise<void>): S
}

interface PeoplePool<S extends Closable> {
  /** The source of a person, if there is one. */
  find(person: Person): S | undefined
  /** Runs the work with the source of this person only. Undefined if all places are in use by other people. */
  use<T>(person: Person, work: (source: S) => Promise<T>): Promise<T> | undefined
  readonly size: number
  /** Closes the source of a person, even if calls are in flight. */
  remove(person: Person): void
  /** All sources, including those that are about to close. */
  sources(): readonly S[]
  [Symbol.asyncDispose](): Promise<void>
}

interface Place<S> {
  readonly source: S
  readonly valuesKey: string
  uses: number
  /** True if the source closes after its last call. */
  isLeaving: boolean
}

export function createPeoplePool<S extends Closable>(options: PeoplePoolOptions<S>): PeoplePool<S> {
  const { maxPeople, valuesKey, create } = options
  // A Map keeps the order of insertion. A place moves to the end when it becomes idle, so the first idle one is the
  // longest idle one.
  const places = new Map<string, Place<S>>()
  const leaving = new Set<Place<S>>()
  const closing = new Set<Promise<void>>()

  const close = (place: Place<S>) => {
    leaving.add(place)
    const closed = place.source[Symbol.asyncDispose]()
      .catch(() => {})
      .finally(() => {
        leaving.delete(place)
        closing.delete(closed)
      })
    closing.add(closed)
  }
  /** The place is given up now, and closed when its calls in flight have finished. */
  const giveUp = (key: string, place: Place<S>) => {
    places.delete(key)
    if (place.uses === 0) return close(place)
    place.isLeaving = true
    leaving.add(place)
  }
  const makeRoom = (): boolean => {
    // Places that only close are not counted: the new source waits for them before it starts.
    const busy = [...leaving].filter(({ uses }) => uses > 0).length
    if (places.size + busy < maxPeople) return true
    const idle = [...places].find(([, { uses }]) => uses === 0)
    if (idle === undefined) return false
    giveUp(...idle)
    return true
  }
  const placeOf = (person: Person): Place<S> | undefined => {
    const values = valuesKey(person)
    const known = places.get(person.key)
    if (known?.valuesKey === values) return known
    if (known !== undefined) giveUp(person.key, known)
    if (!makeRoom()) return undefined
    const room = Promise.all(closing).then(() => {})
    const place: Place<S> = { source: create(person, room), valuesKey: values, uses: 0, isLeaving: false }
    places.set(person.key, place)
    return place
  }
  const leave = (key: string, place: Place<S>) => {
    place.uses--
    if (place.uses > 0) return
    if (place.isLeaving) return close(place)
    if (places.get(key) !== place) return
    places.delete(key)
    places.set(key, place)
  }

  return {
    find: ({ key }) => places.get(key)?.source,
    use(person, work) {
      const place = placeOf(person)
      if (place === undefined) return undefined
      place.uses++
      return work(place.source).finally(() => leave(person.key, place))
    },
    get size() {
      return places.size
    },
    remove({ key }) {
      const place = places.get(key)
      if (place === undefined) return
      places.delete(key)
      close(place)
    },
    sources: () => [...places.values(), ...leaving].map(({ source }) => source),
    async [Symbol.asyncDispose]() {
      for (const [key, place] of [...places]) {
        places.delete(key)
        close(place)
      }
      for (const place of leaving) if (place.isLeaving) close(place)
      await Promise.all(closing)
    },
  }
}
