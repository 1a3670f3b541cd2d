// The exit code of each command for each kind of ending.

import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { covers, printed, processesWith, root, run, start, stopped, useRealHome } from './harness.ts'

const home = useRealHome()

/** Flags for two of the config files that are written below. */
const WRONG = ['--config', 'wrong.json']
const BROKEN = ['--config', 'broken.json']
home.write('project/wrong.json', { discovery: { servers: { a: { comand: 'x' } } } })
home.write('project/broken.json', { discovery: { servers: { broken: { command: 'no-such-program' } } } })
home.write('project/slow.json', {
  discovery: {
    servers: {
      slow: { command: process.execPath, args: [join(root, 'build/test/fixtures/upstream/hang.js'), home.folder] },
    },
  },
})

type Row = readonly [words: readonly string[], code: number]

const rows: readonly Row[] = [
  [['list'], 0],
  [['list', '--bogus'], 1],
  [['list', ...WRONG], 2],
  [['search', 'read a file'], 0],
  [['search'], 1],
  [['search', 'x', '--limit', 'many'], 1],
  [['search', 'zzqqxx'], 2],
  [['search', 'x', '--server', 'nobody'], 2],
  [['tools', 'files'], 0],
  [['tools'], 1],
  [['tools', 'nobody'], 2],
  [['tools', 'broken', ...BROKEN], 3],
  [['inspect', 'files', 'read_text_file'], 0],
  [['inspect', 'files:read_text_file'], 0],
  [['inspect'], 1],
  [['inspect', 'nobody', 'x'], 2],
  [['inspect', 'files', 'nothing'], 2],
  [['inspect', 'files', 'write_file'], 4],
  [['execute', 'files', 'read_text_file', '--args', '{"path":"notes.txt"}'], 0],
  [['execute', 'files', 'read_text_file', '--args', '{'], 1],
  [['execute', 'files', 'read_text_file', '--args', '{"path":1}'], 1],
  [['execute', 'nobody', 'x', '--args', '{}'], 2],
  [['execute', 'files:nothing', '--args', '{}'], 2],
  [['execute', 'files', 'read_text_file', 'path=none.txt'], 3],
  [['execute', 'broken', 'x', '--args', '{}', ...BROKEN], 3],
  [['execute', 'files', 'write_file', 'path=a', 'content=b'], 4],
  [['config', 'show'], 0],
  [['config', 'show', 'more'], 1],
  [['config', 'show', ...WRONG], 2],
  [['config', 'validate', ...WRONG], 2],
  [['config', 'sources', ...WRONG], 2],
  [['config', 'reload'], 2],
  [['config', 'nothing'], 1],
  [['import', '--from', 'emacs'], 1],
  [['import', '--from', 'cursor'], 2],
  [['install'], 0],
  [['install', 'emacs'], 1],
  [['uninstall', 'cursor'], 0],
  [['doctor', 'files'], 0],
  [['doctor', 'nobody'], 2],
  [['doctor', ...BROKEN], 3],
  [['stats'], 0],
  [['stats', ...WRONG], 2],
  [['completion', 'tcsh'], 1],
  [['serve', '--config', 'nowhere.json'], 2],
  [['serve', '--http', '--port', 'many'], 1],
  [['serve', '--json'], 1],
  [['example', '--port', 'many'], 1],
  [['example', '--stdio', '--json'], 1],
  [['nothing'], 1],
]

describe.concurrent('exit codes', () => {
  it.each(rows)(
    'the command line %j ends with exit code %i, and names the next step if the code is 1',
    async (words, code) => {
      covers('CLI-LIST-EXIT', 'CLI-SEARCH-EXIT', 'CLI-TOOLS-EXIT', 'CLI-INSPECT-EXIT', 'CLI-CONFIG-EXIT')
      covers('CLI-EXECUTE-EXIT', 'CLI-EXIT-ARGS', 'CLI-EXIT-UNAVAILABLE', 'CLI-PAIR', 'CLI-STDERR', 'CLI-JSON-STDIO')
      const ran = await run(home, words)
      expect(`${ran.code} ${ran.stderr}`).toMatch(new RegExp(`^${code} `))
      // Usage errors go to stderr with the next step, and also to stdout with --json.
      if (code !== 1) return
      expect(ran.stderr).toMatch(/Error(?:: .+|\n[\s\S]+)\nNext: /)
      if (words.includes('--json')) expect(JSON.parse(ran.stdout)).toMatchObject({ success: false })
    },
  )

  it('serve names the config file that does not exist', async () => {
    covers('CLI-SERVE-NO-FILE')
    const ran = await run(home, ['serve', '--http', '--port', '0', '--config', 'nowhere.json'])
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain('There is no config file ~/project/nowhere.json.')
  })

  it('serve prints who has a token, and never the token', async () => {
    covers('CLI-SERVE-TOKENS')
    const tokens = { alice: 'alice-has-this-token', bob: 'bob-has-another-token' }
    const config = home.write('tokens.json', { http: { tokens }, discovery: { servers: {}, sources: [] } })
    const child = start(home, ['serve', '--http', '--port', '0', '--config', config])
    const banner = await printed(child, 'Stop with Ctrl-C.')
    expect(await stopped(child, 'SIGINT')).toBe(130)
    expect(banner).toContain('Tokens for alice, bob: see http.tokens in the config')
    for (const token of Object.values(tokens)) expect(banner).not.toContain(token)
  })
})

it('Ctrl-C ends a waiting command with 130, and leaves no server running', async () => {
  covers('CLI-EXIT-CTRL-C')
  const child = start(home, ['doctor', '--config', 'slow.json'])
  const hasBegun = await vi.waitUntil(isHanging, { timeout: 60_000 }).catch(() => false)
  expect([hasBegun, await stopped(child, 'SIGINT')]).toEqual([true, 130])
  await expect.poll(isHanging, { timeout: 30_000 }).toBe(false)
})

/** Only this test starts the server with this path. */
function isHanging(): boolean {
  return processesWith(`hang.js ${home.folder}`).length > 0
}
