// A log of JSON lines that several processes write at once: whole lines, in order, one older generation kept beside it.

import { createLineWriter } from './line-writer.ts'
import { toLine } from './log-line.ts'
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
  /** Resolves when the line is in the file. */
  append(record: object): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export function createAppendLog(options: AppendLogOptions): AppendLog {
  const { file, maxBytes, maxQueued = 10_000, strict = false, now = Date.now, onProblem = () => {} } = options
  const writer = createLineWriter({ file, maxBytes, now, onProblem })
  const outage = createOutage(onProblem, now)
  let last: Promise<void> = Promise.resolve()
  let queued = 0
  let isClosed = false

  const refuse = (kind: StorageProblem['kind'], reason: string, cause?: unknown) => {
    const problem: StorageProblem = { kind, path: file, message: `Cannot append to ${file}: ${reason}`, cause }
    outage.failed(problem)
    if (strict) throw new StorageError(problem)
  }

  const write = async (line: Buffer) => {
    try {
      await writer.write(line)
      outage.worked()
    } catch (cause) {
      refuse('unwritable', reasonOf(cause), cause)
    }
  }

  return {
    async append(record) {
      if (isClosed) return refuse('unwritable', 'it is closed')
      if (queued >= maxQueued) return refuse('overloaded', `${queued} records are waiting already`)
      let line: Buffer
      try {
        line = toLine(record)
      } catch (cause) {
        return refuse('bad-record', reasonOf(cause), cause)
      }
      queued += 1
      const turn = last.then(() => write(line)).finally(() => (queued -= 1))
      // The next one writes whatever became of this one.
      last = turn.catch(() => {})
      await turn
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      await last
      await writer.close()
    },
  }
}
