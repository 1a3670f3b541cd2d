// A log of JSON lines that several processes write at once: whole lines, in order, one older generation kept beside it.

import { createLineWriter } from './line-writer.ts'
import { MAX_LINE_BYTES, toLine } from './log-line.ts'
import { createOutage } from './outage.ts'
import { type OnProblem, reasonOf, StorageError, type StorageProblem } from './problem.ts'

export interface AppendLogOptions {
  readonly file: string
  /** Past it the file becomes `<file>.1`, in place of the one before. */
  readonly maxBytes: number
  /** Records that wait for the disk; past it they are refused. */
  readonly maxQueued?: number
  /** An append that failed rejects with a StorageError, instead of being reported and forgotten. */
  readonly strict?: boolean
  readonly now?: () => number
  /** Called when appends start to fail, not with each that does. */
  readonly onProblem?: OnProblem
}

export interface AppendLog {
  /** Resolves when all the lines are in the file. Lines that wait for the same write go into the file together. */
  append(...records: readonly object[]): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** The lines of one append. */
interface Waiting {
  readonly lines: Buffer
  readonly records: number
  settle(problem?: StorageProblem): void
}

export function createAppendLog(options: AppendLogOptions): AppendLog {
  const { file, maxBytes, maxQueued = 10_000, strict = false, now = Date.now, onProblem = () => {} } = options
  const writer = createLineWriter({ file, maxBytes, now, onProblem })
  const outage = createOutage(onProblem, now)
  let waiting: Waiting[] = []
  let draining: Promise<void> | undefined
  let queued = 0
  let isClosed = false

  const failed = (kind: StorageProblem['kind'], reason: string, cause?: unknown): StorageProblem => {
    const problem: StorageProblem = { kind, path: file, message: `Cannot append to ${file}: ${reason}`, cause }
    outage.failed(problem)
    return problem
  }
  const settled = (problem: StorageProblem | undefined) => {
    if (problem !== undefined && strict) throw new StorageError(problem)
  }

  const writeTogether = async (turn: readonly Waiting[]) => {
    const [only] = turn
    const lines = turn.length === 1 && only !== undefined ? only.lines : Buffer.concat(turn.map((one) => one.lines))
    const { bytes, error } = await writer.write(lines)
    if (bytes > 0) outage.worked()
    const problem = error === undefined ? undefined : failed('unwritable', reasonOf(error), error)
    let end = 0
    for (const one of turn) {
      end += one.lines.length
      queued -= one.records
      one.settle(end <= bytes ? undefined : problem)
    }
  }

  const drain = async () => {
    // Records that are appended in this turn of the event loop share one write.
    await undefined
    while (waiting.length > 0) {
      const count = countWithin(waiting, MAX_LINE_BYTES)
      const turn = waiting.slice(0, count)
      waiting = waiting.slice(count)
      await writeTogether(turn)
    }
    draining = undefined
  }

  return {
    async append(...records) {
      if (records.length === 0) return
      if (isClosed) return settled(failed('unwritable', 'it is closed'))
      if (queued >= maxQueued) return settled(failed('overloaded', `${queued} records are waiting already`))
      let text = ''
      let bad: StorageProblem | undefined
      for (const record of records) {
        try {
          text += toLine(record)
        } catch (cause) {
          bad = failed('bad-record', reasonOf(cause), cause)
        }
      }
      if (text === '') return settled(bad)
      queued += records.length
      const unwritten = await new Promise<StorageProblem | undefined>((settle) => {
        waiting.push({ lines: Buffer.from(text), records: records.length, settle })
        draining ??= drain()
      })
      settled(unwritten ?? bad)
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      await draining
      await writer.close()
    },
  }
}

/** How many appends fit into so many bytes; at least one. */
function countWithin(waiting: readonly Waiting[], maxBytes: number): number {
  let bytes = 0
  let count = 0
  for (const { lines } of waiting) {
    bytes += lines.length
    if (count > 0 && bytes > maxBytes) break
    count += 1
  }
  return count
}
