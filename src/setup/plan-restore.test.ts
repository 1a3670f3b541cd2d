import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { importers } from '../config/imports/builtins.ts'
import { type Environment, readEnvironment } from './environment.ts'
import { openClient, replaceByGateway } from './files/write-client.ts'
import { replaceFile } from './files/write-file.ts'
import { rememberInstalled } from './installed.ts'
import { planRestore } from './plan-restore.ts'

let home: string
let environment: Environment
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'toolcrib-restore-'))
  environment = { ...readEnvironment(), home, cwd: join(home, 'one'), env: {}, stateDir: join(home, 'state') }
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const LAUNCH = { command: '/usr/bin/node', args: ['/toolcrib/dist/cli/main.js', 'serve'] }

/** Does what `install` does to the file of a client: replaces these servers, as seen from this folder. */
async function install(client: string, file: string, before: string, names: readonly string[], cwd: string) {
  const writer = importers.get(client)!.writer!
  const document = (await openClient(writer, before, file, { cwd, platform: environment.platform }))!
  const removed = document.entries.filter(({ name }) => names.includes(name))
  const after = (await replaceByGateway(writer, document, removed, LAUNCH))!
  await replaceFile(file, { before, after })
  await rememberInstalled(environment.stateDir, { ...LAUNCH, file, client, cwd, config: '/c.json', servers: names })
  return after
}

function write(path: string, content: object): { file: string; text: string } {
  const file = join(home, path)
  const text = `${JSON.stringify(content, null, 3)}\n`
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return { file, text }
}

it('restores the exact text after several installations', async () => {
  const servers = { a: { command: 'a' }, b: { command: 'b' }, off: { command: 'o', disabled: true } }
  const { file, text } = write('.cursor/mcp.json', { mcpServers: servers, last: 1 })
  const first = await install('cursor', file, text, ['b'], environment.cwd)
  const second = await install('cursor', file, first, ['a'], environment.cwd)
  expect(second).not.toContain('"command": "a"')
  expect(await planRestore(environment, { client: 'cursor' })).toMatchObject({ after: text, restores: ['a', 'b'] })
})

it('adds the servers back to a text that was edited between two installations', async () => {
  const { file, text } = write('.cursor/mcp.json', { mcpServers: { a: { command: 'a' }, b: { command: 'b' } } })
  const first = (await install('cursor', file, text, ['b'], environment.cwd)).replace('{', '{ "mine": 1,')
  writeFileSync(file, first)
  await install('cursor', file, first, ['a'], environment.cwd)
  const plan = await planRestore(environment, { client: 'cursor' })
  const after = JSON.parse('after' in plan ? plan.after : '{}')
  expect(after).toEqual({ mine: 1, mcpServers: { a: { command: 'a' }, b: { command: 'b' } } })
})

it('restores the servers of every folder in which the gateway was installed, from any folder', async () => {
  const folder = (name: string) => join(home, name)
  const of = (name: string) => ({ mcpServers: { [name]: { command: name } } })
  const projects = { [folder('one')]: of('first'), [folder('two')]: of('second') }
  const { file, text } = write('.claude.json', { ...of('all'), projects })
  const first = await install('claude-code', file, text, ['all', 'first'], folder('one'))
  await install('claude-code', file, first, ['second'], folder('two'))
  for (const cwd of ['one', 'two', 'elsewhere']) {
    const plan = await planRestore({ ...environment, cwd: folder(cwd) }, { client: 'claude-code' })
    expect(plan).toMatchObject({ after: text })
  }
})

it('returns only the path of the file if the gateway is not in it', async () => {
  const { file } = write('.cursor/mcp.json', { mcpServers: { a: { command: 'a' } } })
  expect(await planRestore(environment, { client: 'cursor' })).toEqual({ file })
})
