// serve and wrap with an unknown strategy, listing or option: refused before a server is started.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createHome, run } from './harness.ts'

const home = createHome()
afterAll(() => home.remove())

const mark = join(home.folder, 'STARTED')
const server = [process.execPath, '-e', `require('fs').writeFileSync(${JSON.stringify(mark)}, '')`]
const servers = { a: { command: server[0], args: server.slice(1) } }
const configOf = (name: string, discovery: object) => [
  '--config',
  home.write(`${name}.json`, { discovery: { servers, ...discovery } }),
]
const plain = configOf('plain', {})

const NAMES = /'individual', 'grouped', 'lazy', 'gateway', 'manage', 'categories', 'capabilities', 'auto'/
const LISTINGS = /auto.*full.*stripped.*hidden.*hybrid/
const OPTIONS = /'maxEnabled', 'autoEnable'/

describe.each([
  ['serve', (flags: readonly string[]) => ['serve', ...plain, ...flags]],
  ['serve --explain', (flags: readonly string[]) => ['serve', '--explain', ...plain, ...flags]],
  ['wrap', (flags: readonly string[]) => ['wrap', ...flags, '--', ...server]],
] as const)('%s', (name, wordsFor) => {
  it.each([
    [['--strategy', 'bogus'], NAMES],
    [['--strategy', 'categories', '--listing', 'bogus'], LISTINGS],
    [['--strategy', 'manage', '--max-enabled', '0'], OPTIONS],
    [['--strategy', 'manage', '--max-enabled', 'many'], /--max-enabled takes a whole number/],
    [['--strategy', 'gateway', '--listing', 'hidden'], /--listing is an option of categories and capabilities/],
  ])(`${name} with %j exits with 1, prints the reason, and starts no server`, async (flags, expected) => {
    const { code, stdout, stderr } = await run(home, wordsFor(flags))
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(expected)
    expect(existsSync(mark)).toBe(false)
  })
})

describe('serve with a config', () => {
  it.each([
    ['a strategy that does not exist', { strategy: 'bogus' }, NAMES],
    ['a listing that does not exist', { strategy: 'categories', strategyOptions: { listing: 'bogus' } }, LISTINGS],
    ['an option that does not exist', { strategy: 'manage', strategyOptions: { most: 3 } }, OPTIONS],
    ['a ranker that does not exist', { search: { ranker: 'bogus' } }, /'bm25f', 'bm25', 'words'/],
  ])(
    'serve with a config that has %s exits with 1, prints the existing names, and starts no server',
    async (_what, discovery, expected) => {
      const { code, stderr } = await run(home, ['serve', ...configOf('wrong', discovery)])
      expect(code).toBe(1)
      expect(stderr).toMatch(expected)
      expect(existsSync(mark)).toBe(false)
    },
  )
})

describe('options that every command has', () => {
  it.each([
    [['--json', 'list', ...plain], 0, /"servers": \[/],
    [['--quiet', ...plain, 'list'], 0, /^a\n$/],
    [[...plain, '--verbose', 'list'], 0, /^MCP Servers \(1 configured\)/],
    [['--json', ...plain, 'config', 'show'], 0, /"toolRules": \[\]/],
    [['--json', ...plain, 'lst'], 1, /"code": "INVALID_ARGUMENTS"/],
    [['--json', '--config', 'none.json', 'list'], 2, /"code": "CONFIG_MISSING"/],
  ])('options that every command has can be given before the command: %j', async (words, code, expected) => {
    const ran = await run(home, words)
    expect(ran.code).toBe(code)
    expect(ran.stdout).toMatch(expected)
  })
})
