import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { TEMPORARY } from '../storage/atomic-file.ts'
import { readEnvironment } from './environment.ts'
import { configFolders, presentFolders, recordFolders, removeFolder } from './own-folders.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'toolcrib-purge-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function write(...paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), 'x')
  }
}

it('keeps config and secrets when it removes the state in the same folder, and removes them separately', async () => {
  const own = join(home, 'toolcrib')
  const environment = {
    ...readEnvironment(),
    home,
    stateDir: own,
    configDir: own,
    cacheDir: join(home, 'c', 'toolcrib'),
  }
  write(
    'toolcrib/config.json',
    'toolcrib/config.cursor.json',
    'toolcrib/secrets.env',
    'toolcrib/logins/a',
    'toolcrib/tokens/a',
    'c/toolcrib/known/b',
  )
  write('toolcrib/audit.jsonl', 'theirs/file', '.toolcrib/config.json', '.toolcrib/notes.txt')
  for (const folder of await presentFolders(recordFolders(environment))) await removeFolder(folder)
  expect(readdirSync(own).sort()).toEqual(['config.cursor.json', 'config.json', 'secrets.env'])
  expect(existsSync(environment.cacheDir)).toBe(false)
  for (const folder of await presentFolders(configFolders(environment))) await removeFolder(folder)
  expect(existsSync(own)).toBe(false)
  // The parent of the cache folder is not ours, and neither are other files.
  expect(readdirSync(home).sort()).toEqual(['.toolcrib', 'c', 'theirs'])
  expect(readdirSync(join(home, '.toolcrib'))).toEqual(['notes.txt'])
})

it.runIf(process.platform !== 'win32')('removes nothing through a link that leads out of our folders', async () => {
  write('theirs/precious')
  mkdirSync(join(home, 'state', 'toolcrib'), { recursive: true })
  symlinkSync(join(home, 'theirs'), join(home, 'state', 'toolcrib', 'store'))
  symlinkSync(join(home, 'theirs'), join(home, 'cache'))
  const environment = {
    ...readEnvironment(),
    home,
    stateDir: join(home, 'state', 'toolcrib'),
    cacheDir: join(home, 'cache'),
  }
  const found = await presentFolders(recordFolders(environment))
  expect(found.map(({ path }) => path)).toEqual([environment.stateDir])
  for (const folder of recordFolders(environment)) await removeFolder(folder)
  expect(existsSync(environment.stateDir)).toBe(false)
  expect(readdirSync(join(home, 'theirs'))).toEqual(['precious'])
})

it('removes the temporary files that an interrupted write left behind', async () => {
  const environment = { ...readEnvironment(), home, stateDir: join(home, 'state'), cacheDir: join(home, 'cache') }
  const unfinished = `.${randomUUID()}${TEMPORARY}`
  write(`state/approvals.json${unfinished}`, `state/token${unfinished}`, `cache/unreachable.json${unfinished}`)
  for (const folder of await presentFolders(recordFolders(environment))) await removeFolder(folder)
  expect(readdirSync(home)).toEqual([])
})

it('removes no file that Toolcrib did not write, even if state, config and cache are in one folder', async () => {
  const own = join(home, 'toolcrib')
  const environment = { ...readEnvironment(), home, stateDir: own, configDir: own, cacheDir: own }
  write('toolcrib/thesis.txt', 'toolcrib/src/main.ts', 'toolcrib/config.json', 'toolcrib/known/a', 'toolcrib/store/b')
  for (const folder of recordFolders(environment)) await removeFolder(folder)
  expect(readdirSync(own).sort()).toEqual(['config.json', 'src', 'thesis.txt'])
})
