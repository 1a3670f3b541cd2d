// Appends whole lines to a file that other processes append to, rotate or remove at the same time.

import type { BigIntStats } from 'node:fs'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from '../core/text.ts'
import { takeLock } from './file-lock.ts'
import { makeFolder } from './make-folder.ts'
import { createOutage, type OnProblem, reasonOf } from './problem.ts'

interface LineWriterOptions {
  readonly file: string
  readonly maxBytes: number
  readonly now: () => number
  readonly onProblem: OnProblem
}

interface Written {
  /** The length in bytes of the lines that were written. */
  readonly bytes: number
  /** Why the remaining lines were not written. Absent if all lines were written. */
  readonly error?: unknown
}

interface OpenFile {
  readonly handle: FileHandle
  readonly stats: BigIntStats
  /** The size at the last check. Other processes may have added lines since. */
  size: number
}

/** Another process may rotate the file between the check and the write. After this many rotations the write fails. */
const MAX_TRIES = 10
/** Another process may rename the file. This process then writes to the renamed file until it checks the path again. */
const CHECK_EVERY_MS = 50
const NEWLINE = 0x0a

export function createLineWriter({ file, maxBytes, now, onProblem }: LineWriterOptions) {
  let openedFile: OpenFile | undefined
  let checkedAtMs = Number.NEGATIVE_INFINITY
  const outage = createOutage(onProblem, now)

  const close = async () => {
    const closing = openedFile
    openedFile = undefined
    await closing?.handle.close()
  }

  const tryRotate = async (isFull: (bytes: number) => boolean) => {
    try {
      await rotate(file, isFull, now)
      outage.worked()
    } catch (cause) {
      // A log that grows too large is better than no log.
      const message = `Cannot rotate ${file}, so it grows beyond ${maxBytes} bytes: ${reasonOf(cause)}`
      outage.failed({ kind: 'unrotated', path: file, message, cause })
    }
  }

  /** Rotates a full file, and closes the handle if the path now belongs to another file. */
  const checkPath = async (isFull: (bytes: number) => boolean) => {
    let current = await statOrUndefined(file)
    if (current !== undefined && isFull(Number(current.size))) {
      await tryRotate(isFull)
      current = await statOrUndefined(file)
    }
    checkedAtMs = performance.now()
    if (openedFile === undefined || current === undefined || !isSameFile(openedFile.stats, current)) await close()
    else openedFile.size = Number(current.size)
  }

  /** Returns the length of the whole lines that were written. Returns 0 if the file was removed during the write. */
  const writeSome = async (lines: Buffer): Promise<number> => {
    const firstLine = lines.indexOf(NEWLINE) + 1
    const isFull = (bytes: number) => bytes > 0 && bytes + firstLine > maxBytes
    const isDue = performance.now() - checkedAtMs >= CHECK_EVERY_MS
    if (openedFile === undefined || isDue || isFull(openedFile.size)) await checkPath(isFull)
    openedFile ??= await openFile(file)
    // A file that is still full could not be rotated. Then it takes all lines.
    const room = isFull(openedFile.size) ? MAX_WRITE_BYTES : Math.min(MAX_WRITE_BYTES, maxBytes - openedFile.size)
    const { handle, stats } = openedFile
    const bytes = await writeWhole(handle, lines.subarray(0, lengthOfWholeLines(lines, room) || firstLine))
    const { nlink, size } = await handle.stat()
    openedFile.size = size
    // After one rename the lines are in `<file>.1`, which is fine. After two renames or a removal the file has no name
    // any more, so the lines are written again.
    if (nlink > 0 || isSameFile(stats, await statOrUndefined(file))) return bytes
    await close()
    return 0
  }

  return {
    close,
    /** Takes any number of whole lines. The caller must wait for one write before it starts the next. */
    async write(lines: Buffer): Promise<Written> {
      let bytes = 0
      let tries = 0
      try {
        while (bytes < lines.length) {
          const more = await writeSome(bytes === 0 ? lines : lines.subarray(bytes))
          bytes += more
          tries = more > 0 ? 0 : tries + 1
          if (tries >= MAX_TRIES) throw new Error('it is rotated faster than it can be written')
        }
        return { bytes }
      } catch (error) {
        // `openFile` checks the end of the last line when the file is opened again.
        await close().catch(() => {})
        return { bytes, error }
      }
    },
  }
}

/** The length of the lines that end within the first `room` bytes. */
function lengthOfWholeLines(lines: Buffer, room: number): number {
  if (room >= lines.length) return lines.length
  return room <= 0 ? 0 : lines.lastIndexOf(NEWLINE, room - 1) + 1
}

async function statOrUndefined(file: string): Promise<BigIntStats | undefined> {
  try {
    return await stat(file, { bigint: true })
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

function isSameFile(one: BigIntStats, other: BigIntStats | undefined): boolean {
  return one.ino === other?.ino && one.dev === other.dev
}

async function openFile(file: string): Promise<OpenFile> {
  const handle = await open(file, 'a+', 0o600).catch(async (error) => {
    if (errorCode(error) !== 'ENOENT') throw error
    await makeFolder(dirname(file))
    return open(file, 'a+', 0o600)
  })
  try {
    const stats = await handle.stat({ bigint: true })
    if (await isTorn(handle, stats)) await handle.write('\n')
    return { handle, stats, size: Number(stats.size) }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** No write takes this long. A line that is being written now has no newline yet, but it is not torn. */
const SETTLED_MS = 1_000

/** Whether the last line has no newline, because a process was killed or the disk was full. */
async function isTorn(handle: FileHandle, { size, mtimeMs }: BigIntStats): Promise<boolean> {
  if (size === 0n || Date.now() - Number(mtimeMs) < SETTLED_MS) return false
  const end = Buffer.alloc(1)
  const { bytesRead } = await handle.read(end, 0, 1, Number(size) - 1)
  return bytesRead === 1 && end[0] !== NEWLINE
}

/** Uses one write call, so that other processes write before or after it. Returns the length of the whole lines. */
async function writeWhole(handle: FileHandle, lines: Buffer): Promise<number> {
  const { bytesWritten } = await handle.write(lines)
  const whole = lengthOfWholeLines(lines, bytesWritten)
  // The disk filled up in the middle of a line.
  if (whole < bytesWritten) await removeTornLine(handle, lines.subarray(whole, bytesWritten))
  if (whole > 0) return whole
  throw Object.assign(new Error('no space for the whole line'), { code: 'ENOSPC' })
}

/** Removes a part of a line, if it is still at the end of the file. */
async function removeTornLine(handle: FileHandle, torn: Buffer): Promise<void> {
  const { size } = await handle.stat()
  const end = Buffer.alloc(torn.length)
  await handle.read(end, 0, torn.length, size - torn.length)
  if (end.equals(torn)) await handle.truncate(size - torn.length)
}

/** A rotation takes milliseconds. A lock of this age was left by a process that has ended. */
const STALE_LOCK_MS = 10_000

/** Renames a full log to `<file>.1`, under a lock. A process that does not get the lock returns and keeps writing. */
export async function rotate(file: string, isFull: (bytes: number) => boolean, now: () => number): Promise<void> {
  const lock = `${file}.lock`
  const isStale = async (path: string) => now() - (await stat(path)).mtimeMs > STALE_LOCK_MS
  if (!(await takeLock(lock, isStale))) return
  try {
    // Checks the size again under the lock: a second rename in a row would overwrite `<file>.1` with a new file.
    const { size } = await stat(file)
    if (isFull(size)) await rename(file, `${file}.1`)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  } finally {
    await rm(lock, { force: true })
  }
}

const MAX_LINE_BYTES = 64 * 1_024
/** The lines that wait are written together, up to this size. A write takes at least one turn of the event loop. */
export const MAX_WRITE_BYTES = 1_024 * 1_024
const MAX_FIELD_BYTES = 1_024
const MAX_FIELDS_NAMED = 20

/** Throws as `JSON.stringify` does. A record that is too long keeps its short fields and lists the others in `cut`. */
export function toLine(record: object): string {
  const json = stringify(record)
  // A UTF-16 code unit has at most three bytes, so most lines do not need an exact count.
  if (json.length * 3 < MAX_LINE_BYTES) return `${json}\n`
  const bytes = Buffer.byteLength(json)
  return `${bytes < MAX_LINE_BYTES ? json : withoutLongFields(record, bytes)}\n`
}

function withoutLongFields(record: object, bytes: number): string {
  const kept: [string, unknown][] = []
  const removed: string[] = []
  let bytesLeft = MAX_LINE_BYTES / 2
  for (const [name, value] of Object.entries(record)) {
    const size = Buffer.byteLength(name) + Buffer.byteLength(JSON.stringify(value) ?? '')
    const fits = size <= MAX_FIELD_BYTES && size <= bytesLeft
    if (fits) kept.push([name, value])
    else removed.push(name.slice(0, 100))
    if (fits) bytesLeft -= size
  }
  return stringify({ ...Object.fromEntries(kept), cut: { bytes, fields: removed.slice(0, MAX_FIELDS_NAMED) } })
}

function stringify(record: object): string {
  const json: unknown = JSON.stringify(record)
  // An object may have a `toJSON` method that returns undefined.
  if (typeof json !== 'string') throw new TypeError('The record cannot be written as JSON')
  return json
}
