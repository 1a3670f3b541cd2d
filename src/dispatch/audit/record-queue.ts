// Makes audit records after the calls have been answered, and passes them on in groups, so that few writes are needed.

interface RecordQueue {
  add(record: PendingRecord): void
  /** Passes on all records now. */
  flush(): void
}

/** A record that is made in a later turn of the event loop. */
export interface PendingRecord {
  /** Called once. Returns undefined if the record could not be made. */
  make(): object | undefined
  /** Estimated memory use until the record is made. */
  readonly heldBytes: number
  /** Estimated length of the line. */
  readonly lineBytes: number
}

/** A record that has been made waits at most this long for others. */
const MAX_WAIT_MS = 50
/** Records are passed on at once when their lines reach this length. */
const MAX_GROUP_BYTES = 64 * 1_024
/** The number of records made per turn of the event loop: about one millisecond of work. */
const MAX_PER_TURN = 64
/** All pending records are made immediately when those added since the queue was last empty hold this much memory. */
const MAX_HELD_BYTES = 8 * 1_024 * 1_024

export function createRecordQueue(passOn: (records: readonly object[]) => void): RecordQueue {
  let pending: PendingRecord[] = []
  let heldBytes = 0
  let made: object[] = []
  let madeBytes = 0
  let nextTurn: NodeJS.Immediate | undefined
  let timer: NodeJS.Timeout | undefined

  const make = (count: number) => {
    const entries = pending.length <= count ? pending : pending.slice(0, count)
    pending = pending.length <= count ? [] : pending.slice(count)
    if (pending.length === 0) heldBytes = 0
    for (const entry of entries) {
      const record = entry.make()
      if (record === undefined) continue
      made.push(record)
      madeBytes += entry.lineBytes
      if (madeBytes >= MAX_GROUP_BYTES) passOnMade()
    }
    if (made.length > 0) timer ??= setTimeout(flush, MAX_WAIT_MS).unref()
  }

  const passOnMade = () => {
    clearTimeout(timer)
    timer = undefined
    if (made.length === 0) return
    const records = made
    made = []
    madeBytes = 0
    passOn(records)
  }

  const makeNext = () => {
    nextTurn = undefined
    make(MAX_PER_TURN)
    if (pending.length > 0) nextTurn ??= setImmediate(makeNext)
  }

  const flush = () => {
    clearImmediate(nextTurn)
    nextTurn = undefined
    make(Number.POSITIVE_INFINITY)
    passOnMade()
  }

  return {
    add(entry) {
      pending.push(entry)
      heldBytes += entry.heldBytes
      if (heldBytes >= MAX_HELD_BYTES) make(Number.POSITIVE_INFINITY)
      // `makeNext` runs after the response, which is written in this turn of the event loop.
      else nextTurn ??= setImmediate(makeNext)
    },
    flush,
  }
}
