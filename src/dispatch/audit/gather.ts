// Gathers records off the path of the calls they are about, and hands them on together.

export interface Gather {
  add(unmade: Unmade): void
  /** Hands on everything now. */
  flush(): void
}

/** A record that is made in a later turn of the loop. */
export interface Unmade {
  /** Called once. Undefined where no record could be made. */
  make(): object | undefined
  /** About how much memory stays in use until then. */
  readonly heldBytes: number
  /** About how long the line will be. */
  readonly lineBytes: number
}

/** A record waits this long for others, at most. */
const MAX_WAIT_MS = 50
/** Records that are together this long wait no longer. */
const MAX_GATHERED_BYTES = 64 * 1_024
/** Made before other work has its turn: about a millisecond. */
const MAX_PER_TURN = 64
/** A burst within one turn of the loop keeps no more than this in memory. */
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
      // After the answer: it is written in this turn of the loop.
      else turn ??= setImmediate(makeSome)
    },
    flush,
  }
}
