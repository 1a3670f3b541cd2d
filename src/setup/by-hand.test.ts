import { expect, it } from 'vitest'
import { parseDocument } from '../config/document.ts'
import type { ServerConfig } from '../config/server-config.ts'
import { additionByHand, editByHand, serversByHand, valueByHand } from './by-hand.ts'

const FILE = 'config.toml'
const server: ServerConfig = {
  name: 'my server',
  enabled: true,
  connection: { type: 'stdio', command: 'npx', args: ['-y', 'a "b"\u007f'], env: { 'A.B': 'x' } },
  origin: { source: 'config', file: '' },
}
const entry = { command: 'npx', args: ['-y', 'a "b"\u007f'], env: { 'A.B': 'x' } }

/** The value of the config after the lines below the first line of the advice are added to it. */
async function appended(text: string, advice: string): Promise<unknown> {
  const [first, ...lines] = advice.split('\n')
  expect(first).toBe('Add this at the end of the file by hand:')
  const parsed = await parseDocument(`${text}\n${lines.join('\n')}`, 'toml', FILE)
  return parsed.ok ? parsed.value : parsed.problem
}

it.each([
  ['tables', '[discovery.servers.a]\ncommand = "x"', { a: { command: 'x' }, 'my server': entry }],
  ['a list', '[[discovery.servers]]\nname = "a"', [{ name: 'a' }, { name: 'my server', ...entry }]],
])('the text to add to a TOML config is valid after servers that are %s', async (_form, text, servers) => {
  const advice = await serversByHand(FILE, text, [server])
  expect(await appended(text, advice)).toEqual({ discovery: { servers } })
})

it('the text for a TOML config with its servers in one value goes into this value', async () => {
  expect(await serversByHand(FILE, '[discovery]\nservers = {}', [{ ...server, name: 'a' }])).toMatch(
    /^Add this to `discovery\.servers` by hand: a = \{ command = "npx", args = \["-y", /,
  )
})

it('the text of an import into a TOML config has the servers, the rules and the sources', async () => {
  const rules = [{ server: 'a', pattern: ['x*'], enabled: false }]
  const addition = { servers: [server], rules, sources: [{ type: 'cursor' }] }
  expect(await appended('', await additionByHand(FILE, '', addition))).toEqual({
    discovery: { servers: { 'my server': entry }, toolRules: rules, sources: [{ type: 'cursor' }] },
  })
  const inline = '[discovery]\nsources = []'
  expect(await additionByHand(FILE, inline, { servers: [], rules: [], sources: [{ type: 'cursor' }] })).toBe(
    'Add `{ type = "cursor" }` to `discovery.sources` by hand.',
  )
  expect(valueByHand('a.ts', { type: 'cursor' })).toBe('{"type":"cursor"}')
})

it.each([
  ['disable', 'discovery.servers.a', 'Set `enabled = false` in the table `[discovery.servers.a]` by hand.'],
  ['remove', 'discovery.servers[0]', 'Remove the table `[[discovery.servers]]` with `name = "a"` by hand.'],
  [
    'enable',
    'discovery.servers.a',
    'Remove `enabled = false` or `disabled = true` from the table `[discovery.servers.a]` by hand.',
  ],
] as const)('the advice to %s a server at %s of a TOML config is TOML', (edit, path, expected) => {
  expect(editByHand(FILE, 'a', edit, path)).toBe(expected)
})

it('writes the name of a table in quotes if it has a space', () => {
  expect(editByHand(FILE, 'a b', 'disable', 'discovery.servers["a b"]')).toContain('`[discovery.servers."a b"]`')
})
