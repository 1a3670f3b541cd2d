import { mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { stampOf } from './file-stamp.ts'

describe('stampOf', () => {
  let folder: string
  let path: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'toolcrib-stamp-'))
    path = join(folder, 'file')
    writeFileSync(path, 'one')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('returns the same stamp while the file does not change', () => {
    expect(stampOf(path)).toBe(stampOf(path))
  })

  it('returns another stamp if the length changes, or another file of the same length and time takes its place', () => {
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

  it('returns the same stamp for a missing file and a path below a file, and another one for a file', () => {
    expect(stampOf(join(folder, 'none'))).toBe(stampOf(join(path, 'below-a-file')))
    expect(stampOf(join(folder, 'none'))).not.toBe(stampOf(path))
  })

  it('distinguishes a missing file from a file in a folder that cannot be entered', () => {
    symlinkSync('loop', join(folder, 'loop'))
    expect(stampOf(join(folder, 'loop', 'file'))).not.toBe(stampOf(join(folder, 'none')))
  })
})
