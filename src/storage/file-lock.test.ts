import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeTempDir } from './child.fixture.ts'
import { LockHeld, withLock } from './file-lock.ts'

let dir: string
let lock: string
beforeEach(async () => {
  dir = await makeTempDir()
  lock = join(dir, 'a.lock')
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const longWait = { waitMs: 10_000 }

describe('withLock', () => {
  it('runs one task at a time and removes the lock file afterwards', async () => {
    let running = 0
    const runningCounts = await Promise.all(
      Array.from({ length: 8 }, () =>
        withLock(lock, longWait, async () => {
          running += 1
          await new Promise(setImmediate)
          expect(readFileSync(lock, 'utf8')).toBe(String(process.pid))
          return running--
        }),
      ),
    )
    expect(Math.max(...runningCounts)).toBe(1)
    expect(existsSync(lock)).toBe(false)
  })

  it('releases the lock when the task fails', async () => {
    await expect(withLock(lock, longWait, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(existsSync(lock)).toBe(false)
  })

  it('waits for a lock of a running process and does not remove it', async () => {
    writeFileSync(lock, String(process.pid))
    await expect(withLock(lock, { waitMs: 50 }, async () => 1)).rejects.toThrow(LockHeld)
    expect(readFileSync(lock, 'utf8')).toBe(String(process.pid))
    await expect(withLock(lock, { ...longWait, signal: AbortSignal.abort() }, async () => 1)).rejects.toThrow('abort')
  })

  it('takes over a lock of a process that has ended, and an empty lock that is too old', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', ''])
    writeFileSync(lock, String(pid))
    expect(await withLock(lock, { waitMs: 0 }, async () => 1)).toBe(1)
    writeFileSync(lock, '')
    await expect(withLock(lock, { waitMs: 0 }, async () => 1)).rejects.toThrow(LockHeld)
    const longAgo = Date.now() / 1000 - 3600
    utimesSync(lock, longAgo, longAgo)
    expect(await withLock(lock, { waitMs: 0 }, async () => 2)).toBe(2)
  })
})
