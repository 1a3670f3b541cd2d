import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ownershipIn, readInstallations, rememberInstalled } from './installed.ts'

let stateDir: string
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'toolcrib-installed-'))
})
afterEach(() => rmSync(stateDir, { recursive: true, force: true }))

const FILE = '/h/ada/.cursor/mcp.json'
const installed = (servers: readonly string[], config = '/c.json') =>
  rememberInstalled(stateDir, {
    file: FILE,
    client: 'cursor',
    command: 'x',
    args: ['serve'],
    cwd: '/',
    config,
    servers,
  })

it('adds the servers of a later installation to those of an earlier one, and keeps configs apart', async () => {
  await installed(['a'])
  await installed(['b', 'a'])
  await installed(['c'], '/other.json')
  const stored = await readInstallations(stateDir)
  expect(stored.map(({ config, servers }) => [config, servers])).toEqual([
    ['/c.json', ['a', 'b']],
    ['/other.json', ['c']],
  ])
})

it('a file counts as new until a later installation makes a backup of it', async () => {
  const install = (more: { readonly isNewFile?: boolean; readonly cwd?: string }) =>
    rememberInstalled(stateDir, {
      file: FILE,
      client: 'cursor',
      command: 'x',
      args: [],
      cwd: '/',
      config: '/c.json',
      servers: [],
      ...more,
    })
  const isNew = async () => (await readInstallations(stateDir)).map(({ isNewFile }) => isNewFile)
  await install({ isNewFile: true })
  await install({})
  expect(await isNew()).toEqual([true])
  await install({ cwd: '/other', isNewFile: false })
  expect(await isNew()).toEqual([false, false])
})

it('reads the records of earlier versions, and ignores invalid records', async () => {
  mkdirSync(stateDir, { recursive: true })
  const old = { file: FILE, command: 'my-wrapper', args: ['serve'] }
  writeFileSync(join(stateDir, 'installed.json'), JSON.stringify([old, { ...old, servers: [1] }, { file: FILE }, 'x']))
  expect(await readInstallations(stateDir)).toEqual([old])
  const isOurs = await ownershipIn(FILE, stateDir)
  const entry = (command: string, ...args: readonly string[]) => ({
    name: 'toolcrib',
    path: ['mcpServers', 'toolcrib'],
    value: { command, args },
  })
  // The command lines that earlier versions wrote.
  const ours = [
    entry('my-wrapper', 'serve'),
    entry('npx', '-y', 'toolcrib', 'serve'),
    entry('cmd', '/c', 'npx', '-y', 'toolcrib', 'serve'),
    entry('node', '/usr/lib/node_modules/toolcrib/dist/cli/main.js', 'serve'),
  ]
  expect(ours.map(isOurs)).toEqual([true, true, true, true])
  expect(isOurs(entry('my-wrapper', 'other'))).toBe(false)
  await installed(['a'])
  expect(JSON.parse(readFileSync(join(stateDir, 'installed.json'), 'utf8'))[0]).toEqual(old)
})
