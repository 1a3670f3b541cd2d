import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, truncateSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { MAX_UNPARSED_BYTES, readFailure, realFiles } from './config-files.ts'
import { tempFolder } from './temp-folder.fixture.ts'

it('recognizes files, and returns false for folders and missing paths', async () => {
  const folder = tempFolder()
  mkdirSync(folder.at('folder'))
  expect(await realFiles.isFile(folder.write('file', 'text'))).toBe(true)
  expect(await realFiles.isFile(folder.at('folder'))).toBe(false)
  expect(await realFiles.isFile(folder.at('nothing'))).toBe(false)
  expect(await realFiles.isFile('\0')).toBe(false)
})

it('recognizes a folder that exists and cannot be entered', async () => {
  const folder = tempFolder()
  symlinkSync(folder.at('loop'), folder.at('loop'))
  symlinkSync(folder.at('nothing'), folder.at('dangling'))
  folder.write('file', '')
  symlinkSync(folder.at('file'), folder.at('link'))
  expect(await realFiles.isLocked(folder.at('loop'))).toBe(true)
  for (const path of ['.', 'nothing', 'dangling', 'nothing/below', 'loop/below', 'file', 'link', 'file/below']) {
    expect(await realFiles.isLocked(folder.at(path))).toBe(false)
  }
})

// Modes do not stop root, so the check runs in a process of another user.
it.skipIf(process.getuid?.() !== 0)('recognizes a folder that the user has no right to enter', async ({ skip }) => {
  const folder = tempFolder()
  chmodSync(folder.path, 0o755)
  for (const [name, mode] of [
    ['none', 0o700],
    ['listed', 0o744],
    ['open', 0o711],
  ] as const) {
    mkdirSync(folder.at(name))
    chmodSync(folder.at(name), mode)
  }
  folder.write('file', '')
  symlinkSync(folder.at('none/below'), folder.at('link'))
  const program = `import { createJiti } from ${JSON.stringify(import.meta.resolve('jiti'))}
    const jiti = createJiti(process.cwd(), { fsCache: false })
    const { realFiles } = await jiti.import(${JSON.stringify(fileURLToPath(new URL('./config-files.ts', import.meta.url)))})
    for (const path of process.argv.slice(1)) console.log(path, await realFiles.isLocked(path))`
  const args = ['--input-type=module', '-e', program, 'none', 'listed', 'open', 'file', 'link', 'none/below']
  // A number without an entry in /etc/passwd.
  const options = { cwd: folder.path, uid: 54_321, gid: 54_321, encoding: 'utf8' } as const
  const { stdout, stderr, error } = spawnSync(process.execPath, args, options)
  // `npx node` installs Node in a folder of this user.
  if (error !== undefined) return skip('another user cannot start this Node')
  expect(stderr).toBe('')
  expect(stdout).toBe('none true\nlisted true\nopen false\nfile false\nlink true\nnone/below false\n')
})

it('reads a text file, and rejects a file that is too large for a config', async () => {
  const folder = tempFolder()
  expect(await realFiles.readText(folder.write('a', 'grüße'))).toBe('grüße')
  truncateSync(folder.write('huge', ''), 2 ** 30)
  const failure = await realFiles.readText(folder.at('huge')).catch(readFailure)
  expect(failure).toBe('a file larger than 128 MB')
})

it('names the limit of a guarded file, and a path that is not a file', async () => {
  const folder = tempFolder()
  truncateSync(folder.write('large', ''), 5 * 1024 * 1024)
  const failureOf = (name: string, maxBytes?: number) =>
    realFiles.readGuarded(folder.at(name), maxBytes).catch(readFailure)
  expect(await failureOf('large')).toBe('a file larger than 256 KB')
  expect(await failureOf('large', MAX_UNPARSED_BYTES)).toBe('a file larger than 4 MB')
  expect(await failureOf('.')).toBe('something that is not a file')
})

it('gives the error code of a file that cannot be read, and not the message of the error', () => {
  expect(readFailure(Object.assign(new Error('5ecret'), { code: 'EACCES' }))).toBe(
    'a file that cannot be read (EACCES)',
  )
  expect(readFailure(new Error('5ecret'))).toBe('a file that cannot be read')
  expect(readFailure('5ecret')).toBe('a file that cannot be read')
})
