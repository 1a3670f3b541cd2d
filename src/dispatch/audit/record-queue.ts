// Makes audit records, if possible after the calls have been answered, and passes them on in groups to save writes.

interface RecordQueue {
  add(record: PendingRecord): void
  /** Passes on all records now. */
  flush(): void
}

/** A record that is made later. */
export interface PendingRecord {
  /** Called once. Returns undefined if the record could not be made. */
  make(): object | undefined
  /** Estimated memory use until the record is made. */
  readonly heldBytes: number
  /** Estimated length of the line. */
  readonly lineBytes: number
}

/**
 * The queue waits this long after its first record before it makes records. Work right after a response would delay the
 * client if it runs on the same core.
 */
const WAIT_MS = 25
/** Records are passed on at once when their lines reach this length. */
const MAX_GROUP_BYTES = 64 * 1_024
/** At least this many records are made per turn of the event loop: less than 0.2 ms of work. */
const MIN_PER_TURN = 16
/** At least this share of the waiting records is made per turn, so that the queue stays short under load. */
const SHARE_PER_TURN = 1 / 8
/** All waiting records are made at once if the records added since the queue was last empty hold this much memory. */
const MAX_HELD_BYTES = 8 * 1_024 * 1_024

export function createRecordQueue(passOn: (records: readonly object[]) => void): RecordQueue {
  const pending: PendingRecord[] = []
  let heldBytes = 0
  let made: object[] = []
  let madeBytes = 0
  let timer: NodeJS.Timeout | undefined
  let nextTurn: NodeJS.Immediate | undefined

  const make = (count: number) => {
    const entries = pending.splice(0, count)
    if (pending.length === 0) heldBytes = 0
    for (const entry of entries) {
      const record = entry.make()
      if (record === undefined) continue
      made.push(record)
      madeBytes += entry.lineBytes
      if (madeBytes >= MAX_GROUP_BYTES) passOnMade()
    }
  }

  const passOnMade = () => {
    if (made.length === 0) return
    const records = made
    made = []
    madeBytes = 0
    passOn(records)
  }

  const makeNext = () => {
    timer = undefined
    make(Math.max(MIN_PER_TURN, Math.ceil(pending.length * SHARE_PER_TURN)))
    nextTurn = pending.length > 0 ? setImmediate(makeNext) : undefined
    if (nextTurn === undefined) passOnMade()
  }

  const flush = () => {
    clearTimeout(timer)
    timer = undefined
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
      if (nextTurn === undefined) timer ??= setTimeout(makeNext, WAIT_MS).unref()
    },
    flush,
  }
}
