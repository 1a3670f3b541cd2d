// A log of JSON lines that several processes can write at the same time. One older file is kept.

import { createLineWriter, MAX_WRITE_BYTES, toLine } from './line-writer.ts'
import { createOutage, type OnProblem, reasonOf, StorageError, type StorageProblem } from './problem.ts'

const MAX_QUEUED_BYTES = 64 * 1024 * 1024
/** The memory of one waiting append besides its bytes. */
const APPEND_BYTES = 1_000

export interface AppendLogOptions {
  readonly file: string
  /** A file that would exceed this size is renamed to `<file>.1`, which replaces the previous one. */
  readonly maxBytes: number
  /** Further records are refused while the records that wait for the disk take more memory. Default: 64 MiB. */
  readonly maxQueuedBytes?: number
  /** Rejects a failed append with a StorageError. Otherwise the failure is only reported. */
  readonly strict?: boolean
  readonly now?: () => number
  /** Called once when appends or rotations start to fail, not at every failure. */
  readonly onProblem?: OnProblem
}

export interface AppendLog {
  /** Resolves when all lines are in the file or, if the log is not strict, when writing them failed. */
  append(...records: readonly object[]): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** One append that waits for the disk. */
interface PendingAppend {
  readonly lines: Buffer
  settle(problem?: StorageProblem): void
}

export function createAppendLog(options: AppendLogOptions): AppendLog {
  const { file, maxBytes, maxQueuedBytes = MAX_QUEUED_BYTES, strict = false, now = Date.now } = options
  const { onProblem = () => {} } = options
  const writer = createLineWriter({ file, maxBytes, now, onProblem })
  const outage = createOutage(onProblem, now)
  let pending: PendingAppend[] = []
  let draining: Promise<void> | undefined
  let queuedBytes = 0
  let isClosed = false

  const reportFailure = (kind: StorageProblem['kind'], reason: string, cause?: unknown): StorageProblem => {
    const problem: StorageProblem = { kind, path: file, message: `Cannot append to ${file}: ${reason}`, cause }
    outage.failed(problem)
    return problem
  }
  const rejectIfStrict = (problem: StorageProblem | undefined) => {
    if (problem !== undefined && strict) throw new StorageError(problem)
  }

  const writeBatch = async (batch: readonly PendingAppend[]) => {
    const [only] = batch
    const lines = batch.length === 1 && only !== undefined ? only.lines : Buffer.concat(batch.map((one) => one.lines))
    const { bytes, error } = await writer.write(lines)
    if (bytes > 0) outage.worked()
    const problem = error === undefined ? undefined : reportFailure('unwritable', reasonOf(error), error)
    let end = 0
    for (const one of batch) {
      end += one.lines.length
      queuedBytes -= one.lines.length + APPEND_BYTES
      one.settle(end <= bytes ? undefined : problem)
    }
  }

  const drain = async () => {
    // Records that are appended in this turn of the event loop share one write.
    await undefined
    while (pending.length > 0) {
      const count = countWithin(pending, MAX_WRITE_BYTES)
      const batch = pending.slice(0, count)
      pending = pending.slice(count)
      await writeBatch(batch)
    }
    draining = undefined
  }

  return {
    async append(...records) {
      if (records.length === 0) return
      if (isClosed) return rejectIfStrict(reportFailure('unwritable', 'it is closed'))
      if (queuedBytes > maxQueuedBytes)
        return rejectIfStrict(reportFailure('overloaded', `${queuedBytes} bytes are waiting already`))
      let text = ''
      let badRecord: StorageProblem | undefined
      for (const record of records) {
        try {
          text += toLine(record)
        } catch (cause) {
          badRecord = reportFailure('bad-record', reasonOf(cause), cause)
        }
      }
      if (text === '') return rejectIfStrict(badRecord)
      const lines = Buffer.from(text)
      queuedBytes += lines.length + APPEND_BYTES
      const unwritten = await new Promise<StorageProblem | undefined>((settle) => {
        pending.push({ lines, settle })
        draining ??= drain()
      })
      rejectIfStrict(unwritten ?? badRecord)
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      await draining
      await writer.close()
    },
  }
}

/** How many appends from the start fit into `maxBytes` together. At least one. */
function countWithin(pending: readonly PendingAppend[], maxBytes: number): number {
  let bytes = 0
  let count = 0
  for (const { lines } of pending) {
    bytes += lines.length
    if (count > 0 && bytes > maxBytes) break
    count += 1
  }
  return count
}
