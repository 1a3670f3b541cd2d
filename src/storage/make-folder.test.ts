import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeFolder } from './make-folder.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'toolcrib-folder-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

describe('makeFolder', () => {
  it('creates missing parents readable by this user only, and accepts a folder that exists', async () => {
    const deep = join(root, 'a', 'b', 'c')
    await makeFolder(deep)
    await makeFolder(deep)
    expect(statSync(deep).isDirectory()).toBe(true)
    if (process.platform !== 'win32') expect(statSync(join(root, 'a')).mode & 0o777).toBe(0o700)
  })

  it('creates the same folder from many calls at once', async () => {
    for (let round = 0; round < 50; round++) {
      const deep = join(root, String(round), 'x', 'y', 'z')
      await expect(Promise.all(Array.from({ length: 20 }, () => makeFolder(deep)))).resolves.toHaveLength(20)
    }
  })

  it('fails if the path or a parent of it is a file', async () => {
    const file = join(root, 'file')
    writeFileSync(file, '')
    await expect(makeFolder(file)).rejects.toMatchObject({ code: 'EEXIST' })
    await expect(makeFolder(join(file, 'a', 'b'))).rejects.toMatchObject({ code: 'ENOTDIR' })
  })

  it.runIf(existsSync('/proc/sys'))(
    'stops with an error below a folder in which folders cannot be created',
    async () => {
      await expect(makeFolder('/proc/sys/.cache/toolcrib')).rejects.toThrow('a folder cannot be created in /proc/sys')
    },
  )
})
