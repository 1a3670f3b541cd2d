// A wrong strategy, a client's file that cannot be read, and secrets that are ignored, on all screens that they concern.

import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHome, run, serverScript } from './harness.ts'

const home = createHome()
afterAll(() => home.remove())

const memory = { command: process.execPath, args: [serverScript('memory')] }
const flat = (text: string) => text.replace(/\s+/g, ' ')

describe.each([
  ['strategy', { strategy: 'lazi' }, "discovery.strategy: No tool strategy named 'lazi'"],
  [
    'strategyOptions',
    { strategy: 'manage', strategyOptions: { maxEnabld: 3 } },
    "discovery.strategyOptions: Invalid strategyOptions of 'manage': Unknown field 'maxEnabld'",
  ],
])('a wrong %s', (name, discovery, problem) => {
  const flags = ['--config', home.write(`${name}.json`, { discovery: { servers: { memory }, ...discovery } })]
  const wanted = `~/${name}.json ${problem}`

  it.each([
    ['status', 2, 'Servers 1 (1 from config)'],
    ['doctor', 3, 'Doctor (1 server, 1 error in the configuration): ✓ memory'],
  ])(`%s shows a wrong ${name} with its file and key, and exits with %i`, async (command, exit, screen) => {
    const { code, stdout, stderr } = await run(home, [command, ...flags])
    expect({ code, stderr }).toEqual({ code: exit, stderr: '' })
    expect(flat(stdout)).toContain(screen)
    expect(stdout).toContain(`Error: ${wanted}`)
    expect(stdout).toContain('\nNo gateway starts until this is corrected.\n')
    const document = JSON.parse((await run(home, [command, ...flags, '--json'])).stdout)
    expect(document.errors).toEqual([
      { file: flags[1], path: `discovery.${name}`, message: expect.stringContaining(problem.split(': ')[1] ?? '') },
    ])
  })

  it.each([
    [['serve'], 1],
    [['serve', '--explain'], 1],
    [['stats'], 1],
    [['config', 'validate'], 2],
  ])(`%j names the file and the key of a wrong ${name}`, async (words, exit) => {
    const { code, stdout, stderr } = await run(home, [...words, ...flags])
    expect(code).toBe(exit)
    expect(stdout + stderr).toContain(wanted)
  })
})

it('a wrong flag of serve is not reported as an error of the config', async () => {
  const file = home.write('plain.json', { discovery: { servers: { memory }, strategy: 'lazy' } })
  const { code, stderr } = await run(home, ['serve', '--strategy', 'none', '--config', file])
  expect(code).toBe(1)
  expect(stderr).toContain("Error: No tool strategy named 'none'.")
})

describe("a client's file with invalid JSON", () => {
  const flags = [
    '--config',
    home.write('sources.json', { discovery: { sources: [{ type: 'cursor' }], servers: { memory } } }),
  ]
  beforeAll(async () => {
    home.write('.cursor/mcp.json', '{"mcpServers": {\n')
    await run(home, ['doctor', ...flags])
  })

  it.each([['status'], ['list'], ['doctor']])(
    '%s warns about it with its path and line, with and without the cache',
    async (command) => {
      const warning = 'The servers of cursor are not used: ~/.cursor/mcp.json:2:1: Not valid JSON: '
      for (const _ of ['from the gateway', 'from the cache']) {
        const { code, stdout } = await run(home, [command, ...flags])
        expect(code).toBe(0)
        expect(stdout).toContain(`\nWarning: ${warning}`)
      }
      const { warnings } = JSON.parse((await run(home, [command, ...flags, '--json'])).stdout)
      expect(warnings).toEqual([expect.stringContaining(warning)])
    },
  )

  it('list, status and doctor warn about it if there is no other server', async () => {
    const file = home.write('only.json', { discovery: { sources: [{ type: 'cursor' }] } })
    for (const command of ['list', 'status', 'doctor'])
      expect((await run(home, [command, '--config', file])).stdout, command).toContain('Warning: The servers of cursor')
  })
})

it.each(['status', 'doctor', 'search', 'list'])(
  '%s of a config with invalid JSON names its line and column, with ~ for the home folder',
  async (command) => {
    const file = home.write('project/broken.json', '{"discovery": \n')
    const words = command === 'search' ? [command, 'x'] : [command]
    const { code, stderr } = await run(home, [...words, '--config', file])
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /^Error: The configuration ~\/project\/broken\.json cannot be used: .*\(line 2, column 1\)\.\n/,
    )
  },
)

describe('secrets that other users can read', () => {
  const flags = [
    '--config',
    home.write('needs.json', { discovery: { servers: { needs: { ...memory, env: { A: `\${MY_KEY}` } } } } }),
  ]
  const chmod = '`chmod 600 ~/.config/toolcrib/secrets.env`'
  beforeAll(() => chmodSync(home.write('.config/toolcrib/secrets.env', 'MY_KEY=value\n'), 0o644))

  it.each([
    [['execute', 'needs', 'read_graph'], 3],
    [['list'], 0],
    [['status'], 0],
    [['doctor'], 3],
  ])('%j names the ignored file and the command that makes it private', async (words, exit) => {
    const { code, stdout, stderr } = await run(home, [...words, ...flags])
    expect(code).toBe(exit)
    expect(flat(stdout + stderr)).toContain("the variable 'MY_KEY' is not set")
    expect(flat(stdout + stderr)).toMatch(/is ignored/)
    expect(flat(stdout + stderr)).toContain(chmod)
  })

  it('after the command the server starts', async () => {
    chmodSync(join(home.folder, '.config/toolcrib/secrets.env'), 0o600)
    expect(await run(home, ['execute', 'needs', 'read_graph', ...flags])).toMatchObject({ code: 0 })
  })
})
