import { appendFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLogTail, type LogTail, olderLines } from './log-tail.ts'

let folder: string
let file: string
let tail: LogTail

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolcrib-tail-'))
  file = join(folder, 'log')
  tail = createLogTail(file)
})
afterEach(async () => {
  await tail.close()
  rmSync(folder, { recursive: true, force: true })
})

const rotate = () => renameSync(file, `${file}.1`)

describe('the tail of a log', () => {
  it('returns no lines until the file exists, and then all its lines once', async () => {
    expect(await tail.next()).toEqual([])
    appendFileSync(file, 'one\ntwo\nth')
    expect(await tail.next()).toEqual(['one', 'two'])
    appendFileSync(file, 'ree\n')
    expect(await tail.next()).toEqual(['three'])
    expect(await tail.next()).toEqual([])
  })

  it('continues after a rotation, with the lines that were written to the old file later', async () => {
    appendFileSync(file, 'one\n')
    expect(await tail.next()).toEqual(['one'])
    appendFileSync(file, 'two\n')
    rotate()
    appendFileSync(file, 'three\n')
    expect(await tail.next()).toEqual(['two', 'three'])
    appendFileSync(`${file}.1`, 'late\n')
    appendFileSync(file, 'four\n')
    expect(await tail.next()).toEqual(['late', 'four'])
    expect(await olderLines(file)).toEqual(['one', 'two', 'late'])
  })

  it('returns the lines of a file that was rotated twice between two calls', async () => {
    appendFileSync(file, 'one\n')
    await tail.next()
    rotate()
    appendFileSync(file, 'two\n')
    rotate()
    appendFileSync(file, 'three\n')
    expect(await tail.next()).toEqual(['two', 'three'])
  })
})
