import { expect, it } from 'vitest'
import { findProgram, isStartable } from './find-program.ts'

const NODEJS = 'C:\\Program Files\\nodejs'
const files = new Set(
  [`${NODEJS}\\npx`, `${NODEJS}\\npx.cmd`, `${NODEJS}\\npx.ps1`, 'C:\\tools\\a;b\\odd.exe', 'D:\\work\\npx.cmd'].concat(
    ['D:\\work\\run.bat', 'C:\\py\\server.py', 'C:\\py\\both.exe', 'C:\\py\\both.cmd'],
  ),
)
const isFile = async (path: string) => [...files].some((file) => file.toLowerCase() === path.toLowerCase())
const find = (command: string, env: Readonly<Record<string, string>> = {}) =>
  findProgram(command, {
    env: { Path: `${NODEJS};"C:\\tools\\a;b";;C:\\py`, PathExt: '.COM;.EXE;.BAT;.CMD;.JS', ...env },
    cwd: 'D:\\work',
    isFile,
  })

it('finds npx.cmd for npx, and not the shell script of the same name', async () => {
  expect((await find('npx'))?.toLowerCase()).toBe(`${NODEJS}\\npx.cmd`.toLowerCase())
})

it('reads quoted entries of PATH that contain a semicolon', async () => {
  expect(await find('odd')).toBe('C:\\tools\\a;b\\odd.exe')
})

it('tries the extensions in the order of PATHEXT, and the default ones without PATHEXT', async () => {
  expect(await find('both')).toBe('C:\\py\\both.exe')
  expect(await find('both', { PathExt: '.CMD;.EXE' })).toBe('C:\\py\\both.cmd')
  expect(await find('both', { PathExt: '' })).toBe('C:\\py\\both.exe')
})

it('looks for a path in the current folder, but not for a bare name', async () => {
  expect(await find('run')).toBeUndefined()
  expect(await find('.\\run')).toBe('D:\\work\\run.bat')
  expect(await find('./run.bat')).toBe('D:\\work\\run.bat')
  expect(await find('D:\\work\\run')).toBe('D:\\work\\run.bat')
})

it('finds a name with an extension unchanged, and knows which files Windows can start', async () => {
  expect(await find('server.py')).toBe('C:\\py\\server.py')
  expect(isStartable('C:\\py\\server.py')).toBe(false)
  expect(isStartable('C:\\py\\BOTH.EXE')).toBe(true)
})
