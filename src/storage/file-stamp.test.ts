import { mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { stampOf } from './file-stamp.ts'

describe('the stamp of a file', () => {
  let folder: string
  let path: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'toolcrib-stamp-'))
    path = join(folder, 'file')
    writeFileSync(path, 'one')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('stays while nobody writes', () => {
    expect(stampOf(path)).toBe(stampOf(path))
  })

  it('is another one for another length, and for a file that took its place with the same length and time', () => {
    const before = stampOf(path)
    writeFileSync(path, 'longer')
    const longer = stampOf(path)
    expect(longer).not.toBe(before)
    writeFileSync(`${path}.new`, 'shorte')
    utimesSync(path, 1, 1)
    utimesSync(`${path}.new`, 1, 1)
    const placed = stampOf(path)
    renameSync(`${path}.new`, path)
    expect(stampOf(path)).not.toBe(placed)
  })

  it('tells what is absent, and what is no file at all, from what is there', () => {
    expect(stampOf(join(folder, 'none'))).toBe(stampOf(join(path, 'below-a-file')))
    expect(stampOf(join(folder, 'none'))).not.toBe(stampOf(path))
  })
})
