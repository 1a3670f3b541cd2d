import { readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeTempDir } from './child.fixture.ts'
import { rotate } from './line-writer.ts'

let dir: string
let file: string
beforeEach(async () => {
  dir = await makeTempDir()
  file = join(dir, 'log')
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const isFull = (bytes: number) => bytes > 5

describe('rotate', () => {
  it('leaves the new file alone after another process has rotated the log', async () => {
    await writeFile(file, 'a full file')
    await rotate(file, isFull, Date.now)
    await writeFile(file, 'new')
    // Simulates a process that checked the old file and rotates second.
    await rotate(file, isFull, Date.now)
    expect([await readFile(file, 'utf8'), await readFile(`${file}.1`, 'utf8')]).toEqual(['new', 'a full file'])
  })

  it('rotates once if many calls find a stale lock at the same time, and leaves no lock behind', async () => {
    await writeFile(file, 'a full file')
    await writeFile(`${file}.lock`, '')
    await utimes(`${file}.lock`, 1, 1)
    await Promise.all(Array.from({ length: 20 }, () => rotate(file, isFull, Date.now)))
    expect(await readdir(dir)).toEqual(['log.1'])
  })

  it('does not rotate if the file is missing or another process holds the lock', async () => {
    await rotate(file, isFull, Date.now)
    await writeFile(file, 'a full file')
    await writeFile(`${file}.lock`, '')
    await rotate(file, isFull, Date.now)
    expect((await readdir(dir)).sort()).toEqual(['log', 'log.lock'])
  })
})
