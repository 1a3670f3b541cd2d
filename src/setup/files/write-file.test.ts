import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { BACKUP, checkReplaceable, readIfThere, replaceFile, withWriteLock } from './write-file.ts'

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolcrib-write-file-'))
  file = join(folder, 'mcp.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('replaceFile', () => {
  it('keeps the permissions of the file, and a backup of its old content that only this user can read', async () => {
    writeFileSync(file, 'old')
    chmodSync(file, 0o640)
    const backup = await replaceFile(file, { before: 'old', after: 'new' })
    expect(backup).toContain(`${file}${BACKUP}`)
    expect(readFileSync(backup!, 'utf8')).toBe('old')
    expect(readFileSync(file, 'utf8')).toBe('new')
    expect([file, backup!].map((one) => statSync(one).mode & 0o777)).toEqual([0o640, 0o600])
  })

  it.each([
    ['changed', 'old', 'theirs'],
    ['appeared', '', 'theirs'],
  ])('fails if the file %s since it was read', async (_, before, now) => {
    writeFileSync(file, now)
    const error = {
      code: 'CONFIG_UNWRITABLE',
      message: expect.stringMatching(/in the meantime.*Run the command again/),
    }
    await expect(checkReplaceable(file, before)).rejects.toMatchObject(error)
    await expect(replaceFile(file, { before, after: 'new' })).rejects.toMatchObject(error)
    expect(readFileSync(file, 'utf8')).toBe(now)
    expect(readdirSync(folder)).toEqual(['mcp.json'])
  })

  it.skipIf(process.platform === 'win32')('fails if the file is read-only', async () => {
    writeFileSync(file, 'old')
    chmodSync(file, 0o444)
    const error = { code: 'CONFIG_UNWRITABLE', message: expect.stringContaining('it is read-only') }
    await expect(checkReplaceable(file, 'old')).rejects.toMatchObject(error)
    await expect(replaceFile(file, { before: 'old', after: 'new' })).rejects.toMatchObject(error)
    expect(readdirSync(folder)).toEqual(['mcp.json'])
  })

  it('fails if the file disappeared since it was read', async () => {
    await expect(replaceFile(file, { before: 'old', after: 'new' })).rejects.toMatchObject({
      code: 'CONFIG_UNWRITABLE',
    })
    expect(readdirSync(folder)).toEqual([])
  })

  it('leaves no unfinished backup on a full disk', async () => {
    writeFileSync(file, 'old')
    const { writeFile } = promises
    const spy = vi.spyOn(promises, 'writeFile').mockImplementation(async (path, _, options) => {
      await writeFile(path, 'o', options)
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
    })
    // Makes the spy visible to modules that import the function by its name.
    syncBuiltinESMExports()
    onTestFinished(() => {
      spy.mockRestore()
      syncBuiltinESMExports()
    })
    await expect(replaceFile(file, { before: 'old', after: 'new' })).rejects.toMatchObject({
      code: 'CONFIG_UNWRITABLE',
    })
    expect(readdirSync(folder)).toEqual(['mcp.json'])
    expect(readFileSync(file, 'utf8')).toBe('old')
  })

  it('keeps an earlier backup of the same millisecond, and changes nothing', async () => {
    writeFileSync(file, 'first')
    const now = new Date()
    const backup = await replaceFile(file, { before: 'first', after: 'second' }, now)
    await expect(replaceFile(file, { before: 'second', after: 'third' }, now)).rejects.toMatchObject({
      code: 'CONFIG_UNWRITABLE',
    })
    expect([file, backup!].map((one) => readFileSync(one, 'utf8'))).toEqual(['second', 'first'])
  })

  it('keeps a symbolic link, even one to a missing file', async () => {
    mkdirSync(join(folder, 'real'))
    symlinkSync(join('real', 'next.json'), file)
    symlinkSync(join('..', 'later', 'mcp.json'), join(folder, 'real', 'next.json'))
    for (const [before, after] of [
      ['', 'first'],
      ['first', 'second'],
    ] as const) {
      await replaceFile(file, { before, after })
      expect(lstatSync(file).isSymbolicLink()).toBe(true)
      expect(lstatSync(join(folder, 'real', 'next.json')).isSymbolicLink()).toBe(true)
      expect(readFileSync(join(folder, 'later', 'mcp.json'), 'utf8')).toBe(after)
    }
  })
})

it('readIfThere reads a text exactly, and rejects a file that is not UTF-8', async () => {
  expect(await readIfThere(file)).toBeUndefined()
  writeFileSync(file, '\uFEFF{}')
  expect(await readIfThere(file)).toBe('\uFEFF{}')
  writeFileSync(file, Buffer.from([0x22, 0xe9, 0x22]))
  await expect(readIfThere(file)).rejects.toMatchObject({
    code: 'CONFIG_UNWRITABLE',
    message: expect.stringContaining('not UTF-8'),
  })
})

it.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
  'readIfThere advises to make a file readable that this user cannot read',
  async () => {
    writeFileSync(file, '{}')
    chmodSync(file, 0o000)
    await expect(readIfThere(file)).rejects.toMatchObject({ suggestion: expect.stringContaining('readable') })
  },
)

it('withWriteLock names the file that it cannot write, and the lock to remove', async () => {
  const path = join(folder, 'setup.lock')
  writeFileSync(path, String(process.pid))
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    const written = withWriteLock({ path, file, what: 'a config' }, async () => 'written')
    vi.setSystemTime(Date.now() + 15_000)
    await expect(written).rejects.toMatchObject({
      code: 'CONFIG_UNWRITABLE',
      what: `${file} was not changed: another toolcrib is writing a config`,
      suggestion: expect.stringContaining(`remove ${path}.`),
    })
  } finally {
    vi.useRealTimers()
  }
})
