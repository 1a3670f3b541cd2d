// Every command has a help text with examples that work.

import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createProgram } from '../../../src/cli/program.ts'
import { readEnvironment } from '../../../src/setup/environment.ts'
import { startProtectedServer } from '../../../src/sources/upstream/auth/protected-server.fixture.ts'
import {
  browser,
  type CliHome,
  covers,
  createHome,
  printed,
  realConfig,
  root,
  run,
  serverScript,
  start,
} from './harness.ts'

const program = await createProgram(readEnvironment())
const commands = program.commands.flatMap((command) => [
  [command.name()],
  ...command.commands.map((child) => [command.name(), child.name()]),
])
/** Commands that run until they are stopped. */
const SERVES = new Set(['serve', 'example', 'wrap'])

let home: CliHome
const closing: (() => void)[] = []
beforeAll(async () => {
  home = createHome()
  const file = realConfig(home)
  const { url } = await startProtectedServer({ onOpen: (close) => closing.push(close) })
  home.env.BROWSER = browser
  const { discovery } = JSON.parse(readFileSync(file, 'utf8'))
  const servers = { ...discovery.servers, github: { url } }
  home.write('.config/toolcrib/config.json', { discovery: { ...discovery, servers } })
  // Without a login, the first search could not start the server and would print a note.
  await expectLogin(['login', 'github'])
  home.write('.cursor/mcp.json', { mcpServers: { one: { command: process.execPath, args: [serverScript('memory')] } } })
})
afterAll(async () => {
  for (const close of closing) close()
  await home.remove()
})

it('the test finds the commands of the program', () => {
  expect(commands.map((words) => words.join(' '))).toEqual(
    expect.arrayContaining([
      'list',
      'search',
      'tools',
      'inspect',
      'execute',
      'config show',
      'serve',
      'import',
      'install',
      'doctor',
    ]),
  )
})

it.each(commands.map((words) => [words.join(' '), words] as const))(
  'toolcrib %s has a help text, and its examples work',
  async (_, words) => {
    covers('CLI-HELP')
    for (const example of await examplesOf(words)) {
      expect(example.slice(0, words.length)).toEqual(words)
      if (words[0] === 'login') await expectLogin(example)
      else if (SERVES.has(words[0] ?? '')) await expectServing(example)
      else await expectSuccess(example)
    }
  },
  90_000,
)

it('toolcrib without a command has a help text, and its examples work', async () => {
  covers('CLI-HELP')
  for (const example of await examplesOf([])) await expectSuccess(example)
})

async function examplesOf(named: readonly string[]): Promise<readonly (readonly string[])[]> {
  const help = await run(home, [...named, '--help'])
  // A switch that is off by default needs no note about its default.
  expect(help.stdout).not.toContain('default: false')
  expect(help).toMatchObject({ code: 0, stderr: '' })
  const examples = [...help.stdout.matchAll(/^ {2}\$ toolcrib (.+)$/gm)].map(([, line = '']) => readLine(line))
  expect(examples.length).toBeGreaterThan(0)
  return examples
}

async function expectSuccess(example: readonly string[]): Promise<void> {
  // `inspector` would start a gateway of its own and serve until it is stopped.
  const needsGateway = example[1] === 'reload' || example[0] === 'inspector'
  const gateway = needsGateway ? start(home, ['serve', '--http', '--port', '0']) : undefined
  if (gateway !== undefined) await printed(gateway, 'Listening on')
  const ran = await run(home, example)
  // stdout has the token alone, so that it can be piped; the notes about it are on stderr.
  const printsNotes = example[0] === 'token' && example[1] === 'add'
  expect(`${ran.code} ${printsNotes ? '' : ran.stderr}`).toBe('0 ')
  if (gateway === undefined) return
  gateway.kill()
  await new Promise((resolve) => gateway.once('close', resolve))
}

/** A login prints the address of its page on stderr, even if it succeeds. */
async function expectLogin(example: readonly string[]): Promise<void> {
  const ran = await run(home, example)
  expect(`${ran.code} ${ran.stderr}`).toMatch(/^0 The browser opens this address to log in to 'github'/)
}

async function expectServing(example: readonly string[]): Promise<void> {
  // Port 0, because the port of the example may be in use on this machine.
  const port = example.indexOf('--port')
  // In this folder `npx` finds the server of the example without a download.
  const from = example[0] === 'wrap' ? { ...home, cwd: root } : home
  const child = start(from, port < 0 ? example : example.with(port + 1, '0'))
  await Promise.any([printed(child, 'http://', 'stdout'), printed(child, 'http://', 'stderr')])
  child.kill()
  await new Promise((resolve) => child.once('close', resolve))
}

/** Splits a line as a shell does. */
function readLine(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  )
}
