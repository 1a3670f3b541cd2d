// Makes audit records after the calls have been answered, and passes them on in groups.

interface Gather {
  add(unmade: Unmade): void
  /** Passes on all records now. */
  flush(): void
}

/** A record that is made in a later turn of the event loop. */
export interface Unmade {
  /** Called once. Returns undefined if the record could not be made. */
  make(): object | undefined
  /** Estimated memory use until the record is made. */
  readonly heldBytes: number
  /** Estimated length of the line. */
  readonly lineBytes: number
}

/** A record waits at most this long for others. */
const MAX_WAIT_MS = 50
/** Records are passed on at once when their lines reach this length. */
const MAX_GATHERED_BYTES = 64 * 1_024
/** The number of records made per turn of the event loop: about one millisecond of work. */
const MAX_PER_TURN = 64
/** Records are made at once when a burst within one turn of the event loop holds this much memory. */
const MAX_HELD_BYTES = 8 * 1_024 * 1_024

export function createGather(hand: (records: readonly object[]) => void): Gather {
  let unmade: Unmade[] = []
  let heldBytes = 0
  let made: object[] = []
  let madeBytes = 0
  let turn: NodeJS.Immediate | undefined
  let timer: NodeJS.Timeout | undefined

  const make = (count: number) => {
    const entries = unmade.length <= count ? unmade : unmade.slice(0, count)
    unmade = unmade.length <= count ? [] : unmade.slice(count)
    if (unmade.length === 0) heldBytes = 0
    for (const entry of entries) {
      const record = entry.make()
      if (record === undefined) continue
      made.push(record)
      madeBytes += entry.lineBytes
      if (madeBytes >= MAX_GATHERED_BYTES) handOn()
    }
    if (made.length > 0) timer ??= setTimeout(flush, MAX_WAIT_MS).unref()
  }

  const handOn = () => {
    clearTimeout(timer)
    timer = undefined
    if (made.length === 0) return
    const records = made
    made = []
    madeBytes = 0
    hand(records)
  }

  const makeSome = () => {
    turn = undefined
    make(MAX_PER_TURN)
    if (unmade.length > 0) turn ??= setImmediate(makeSome)
  }

  const flush = () => {
    clearImmediate(turn)
    turn = undefined
    make(Number.POSITIVE_INFINITY)
    handOn()
  }

  return {
    add(entry) {
      unmade.push(entry)
      heldBytes += entry.heldBytes
      if (heldBytes >= MAX_HELD_BYTES) make(Number.POSITIVE_INFINITY)
      // `makeSome` runs after the response, which is written in this turn of the event loop.
      else turn ??= setImmediate(makeSome)
    },
    flush,
  }
}
