// Joins the messages of one turn of the event loop, so that fewer system calls send them.

import type { Writable } from 'node:stream'

/** Joins the writes to the output until the next tick. Call this before each write. */
export function joinWrites(output: Writable): void {
  if (output.writableCorked > 0) return
  output.cork()
  process.nextTick(() => output.uncork())
}

type Done = (error?: Error | null) => void

/** Texts up to this length are joined. Copying a longer text costs more than a system call of its own. */
const MAX_JOINED_CHARS = 65_536
/** After this many turns with one text each, the first text of a turn is written at once. */
const CALM_TURNS = 8

interface JoinedWriter {
  /** Writes a text, joined with the other texts of this turn. */
  post(text: string, done: Done): void
  /** Writes the texts that wait for the end of the turn. Call it before the output ends. */
  flush(): void
}

/**
 * Returns a writer that joins the texts of a turn before it calls `write`. It costs less than `joinWrites`, because the
 * stream gets one text instead of many.
 */
export function createJoinedWriter(write: (text: string, done: Done) => unknown): JoinedWriter {
  let joined = ''
  let waiting: Done[] = []
  /** The number of texts in this turn. */
  let count = 0
  /** How many turns in a row, up to now, had only one text. */
  let calmTurns = 0
  const flush = () => {
    if (waiting.length === 0) return
    const [text, done] = [joined, waiting]
    joined = ''
    waiting = []
    const [only] = done
    if (only !== undefined && done.length === 1) write(text, only)
    else
      write(text, (error) => {
        for (const one of done) one(error)
      })
  }
  const endTurn = () => {
    calmTurns = count > 1 ? 0 : calmTurns + 1
    count = 0
    flush()
  }
  const post = (text: string, done: Done) => {
    if (++count === 1) {
      // Runs after the callbacks of all inputs that are ready now. `process.nextTick` would run after each callback.
      setImmediate(endTurn)
      if (calmTurns >= CALM_TURNS) return void write(text, done)
    }
    if (text.length > MAX_JOINED_CHARS) {
      flush()
      write(text, done)
      return
    }
    if (joined.length > MAX_JOINED_CHARS) flush()
    joined += text
    waiting.push(done)
  }
  return { post, flush }
}
