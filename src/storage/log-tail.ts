// Reads a log that other processes append to and rotate: first the lines of the current file, then the new ones.

import { type FileHandle, open } from 'node:fs/promises'

export interface LogTail {
  /** The whole lines since the last call. The first call that finds a file returns the lines in it. */
  next(): Promise<readonly string[]>
  close(): Promise<void>
}

interface OpenLog {
  readonly handle: FileHandle
  readonly ino: bigint
  offset: number
  /** The start of a line that is not complete yet. */
  rest: Buffer
}

const CHUNK_BYTES = 256 * 1_024

interface TailOptions {
  /** A call reads at most this many bytes of a file: its last ones. Default: all. */
  readonly lastBytes?: number
}

export function createLogTail(file: string, options: TailOptions = {}): LogTail {
  let current: OpenLog | undefined
  /** The file before the last rotation. A writer may add lines to it until it notices the rotation. */
  let rotated: OpenLog | undefined

  const close = async (one: OpenLog | undefined) => one?.handle.close()

  return {
    async next() {
      const late = rotated === undefined ? [] : await readLines(rotated, options)
      await close(rotated)
      rotated = undefined
      const more = current === undefined ? [] : await readLines(current, options)
      const found = await openLog(file)
      if (found === undefined || found.ino === current?.ino) {
        await close(found)
        return [...late, ...more]
      }
      // After two rotations since the last call, the previous file was never opened here.
      const missed = current === undefined ? [] : await olderLines(file, options, current.ino)
      rotated = current
      current = found
      return [...late, ...more, ...missed, ...(await readLines(found, options))]
    },
    async close() {
      await close(rotated)
      await close(current)
      rotated = undefined
      current = undefined
    },
  }
}

/** The lines of the previous file, `<file>.1`. Returns no lines if its inode number is `except`. */
export async function olderLines(file: string, options: TailOptions = {}, except?: bigint): Promise<readonly string[]> {
  const older = await openLog(`${file}.1`)
  if (older === undefined) return []
  try {
    return older.ino === except ? [] : await readLines(older, options)
  } finally {
    await older.handle.close()
  }
}

async function openLog(file: string): Promise<OpenLog | undefined> {
  const handle = await open(file, 'r').catch(() => undefined)
  if (handle === undefined) return undefined
  const { ino } = await handle.stat({ bigint: true })
  return { handle, ino, offset: 0, rest: Buffer.alloc(0) }
}

async function readLines(log: OpenLog, { lastBytes }: TailOptions): Promise<readonly string[]> {
  const skipTo = lastBytes === undefined ? 0 : (await log.handle.stat()).size - lastBytes
  const isSkipped = skipTo > log.offset
  if (isSkipped) {
    // Starts one byte earlier: if this byte ends a line, the next line is whole.
    log.offset = skipTo - 1
    log.rest = Buffer.alloc(0)
  }
  const parts = [log.rest]
  const chunk = Buffer.alloc(CHUNK_BYTES)
  for (;;) {
    const { bytesRead } = await log.handle.read(chunk, 0, CHUNK_BYTES, log.offset)
    if (bytesRead === 0) break
    parts.push(Buffer.from(chunk.subarray(0, bytesRead)))
    log.offset += bytesRead
  }
  const bytes = Buffer.concat(parts)
  const end = bytes.lastIndexOf(0x0a) + 1
  log.rest = Buffer.from(bytes.subarray(end))
  const lines = bytes.toString('utf8', 0, end).split('\n').slice(0, -1)
  return isSkipped ? lines.slice(1) : lines
}
