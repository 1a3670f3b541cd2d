import { mkdirSync, symlinkSync, truncateSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readFailure, realFiles } from './config-files.ts'
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
  expect(await realFiles.isLocked(folder.at('loop'))).toBe(true)
  for (const path of ['.', 'nothing', 'dangling', 'nothing/below', 'loop/below']) {
    expect(await realFiles.isLocked(folder.at(path))).toBe(false)
  }
})

it('reads a text file, and rejects a file that is too large for a config', async () => {
  const folder = tempFolder()
  expect(await realFiles.readText(folder.write('a', 'grüße'))).toBe('grüße')
  truncateSync(folder.write('huge', ''), 2 ** 30)
  const failure = await realFiles.readText(folder.at('huge')).catch(readFailure)
  expect(failure).toBe('a file that cannot be read (EFBIG)')
})

it('gives the error code of a file that cannot be read, and not the message of the error', () => {
  expect(readFailure(Object.assign(new Error('5ecret'), { code: 'EACCES' }))).toBe(
    'a file that cannot be read (EACCES)',
  )
  expect(readFailure(new Error('5ecret'))).toBe('a file that cannot be read')
  expect(readFailure('5ecret')).toBe('a file that cannot be read')
})
