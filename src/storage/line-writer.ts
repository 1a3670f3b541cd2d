// Appends whole lines to a file that other processes append to, rotate or remove at the same time.

import type { BigIntStats } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from './make-folder.ts'
import { createOutage } from './outage.ts'
import { errorCode, type OnProblem, reasonOf } from './problem.ts'
import { rotate } from './rotate.ts'

export interface LineWriterOptions {
  readonly file: string
  readonly maxBytes: number
  readonly now: () => number
  readonly onProblem: OnProblem
}

export interface LineWriter {
  /** One at a time. */
  write(line: Buffer): Promise<void>
  close(): Promise<void>
}

interface OpenFile {
  readonly handle: FileHandle
  readonly stats: BigIntStats
}

/** Others may rotate between the look at the file and the write; more often than this in a row, something is wrong. */
const MAX_TRIES = 10

export function createLineWriter({ file, maxBytes, now, onProblem }: LineWriterOptions): LineWriter {
  let held: OpenFile | undefined
  const outage = createOutage(onProblem, now)

  const close = async () => {
    const closing = held
    held = undefined
    await closing?.handle.close()
  }

  const tryRotate = async (isFull: (bytes: number) => boolean) => {
    try {
      await rotate(file, isFull, now)
      outage.worked()
    } catch (cause) {
      // A log that grows is better than none.
      const message = `Cannot move ${file} aside, so it grows past ${maxBytes} bytes: ${reasonOf(cause)}`
      outage.failed({ kind: 'unrotated', path: file, message, cause })
    }
  }

  const tryWrite = async (line: Buffer): Promise<boolean> => {
    const isFull = (bytes: number) => bytes > 0 && bytes + line.length > maxBytes
    let there = await look(file)
    if (there !== undefined && isFull(Number(there.size))) {
      await tryRotate(isFull)
      there = await look(file)
    }
    if (held !== undefined && !isSame(held.stats, there)) await close()
    held ??= await openFile(file)
    const { handle, stats } = held
    await writeWhole(handle, line)
    // A rename since the look does no harm: the line is in `<file>.1`. After two of them it is in a file without a name.
    return (await handle.stat()).nlink > 0 || isSame(stats, await look(file))
  }

  return {
    close,
    async write(line) {
      try {
        for (let tries = 0; tries < MAX_TRIES; tries += 1) if (await tryWrite(line)) return
      } catch (error) {
        // Opened anew, it is checked for a line without an end.
        await close()
        throw error
      }
      throw new Error('it is moved aside faster than it can be written')
    },
  }
}

async function look(file: string): Promise<BigIntStats | undefined> {
  try {
    return await stat(file, { bigint: true })
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

function isSame(one: BigIntStats, other: BigIntStats | undefined): boolean {
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
    return { handle, stats }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Longer ago than any write takes: a line that is being written now has no end yet either. */
const SETTLED_MS = 1_000

/** A process was killed, or the disk was full, in the middle of the last line: the next must not be added to it. */
async function isTorn(handle: FileHandle, { size, mtimeMs }: BigIntStats): Promise<boolean> {
  if (size === 0n || Date.now() - Number(mtimeMs) < SETTLED_MS) return false
  const end = Buffer.alloc(1)
  const { bytesRead } = await handle.read(end, 0, 1, Number(size) - 1)
  return bytesRead === 1 && end.toString() !== '\n'
}

/** In one write: appends of others come before or after it, not in between. */
async function writeWhole(handle: FileHandle, line: Buffer): Promise<void> {
  const { bytesWritten } = await handle.write(line)
  if (bytesWritten === line.length) return
  // The disk filled up in the middle of the line: that part is taken back, if it is still the last thing in the file.
  const { size } = await handle.stat()
  const end = Buffer.alloc(bytesWritten)
  await handle.read(end, 0, bytesWritten, size - bytesWritten)
  if (end.equals(line.subarray(0, bytesWritten))) await handle.truncate(size - bytesWritten)
  throw Object.assign(new Error('no space for the whole line'), { code: 'ENOSPC' })
}
