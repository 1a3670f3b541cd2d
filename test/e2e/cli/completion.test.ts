// Shell completion on a real terminal: names that a server or a config chooses must never run as commands.

import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { endChild } from '../gateway/processes.ts'
import { covers, createHome, ended, hasTerminal, main, run } from './harness.ts'

const home = createHome()
afterAll(() => home.remove())

/** No two names start with the same letter, so that the letter and TAB would complete the name. */
const HOSTILE = [
  'a; touch PWNED #',
  'b$(touch PWNED)',
  'c`touch PWNED`',
  "d'; touch PWNED; '",
  'e"; touch PWNED; "',
  'f\ntouch PWNED\n',
  'g && touch PWNED',
  'h | touch PWNED',
  'i > PWNED',
  'j\\; touch PWNED',
  'k\u200b_invisible',
  'l\u202e_reversed',
  'm\t; touch PWNED',
  'n{a,b}',
  'o*',
  'q~ --config=/etc/passwd',
  'r\u3164_filler',
  '--json',
  '-x',
  '~root',
  '=ls',
  '*',
]
const SAFE = ['zebra_read', 'zebra.write-all', 'zulu/list']

const tools = [...HOSTILE, ...SAFE].map((name) => ({ name, inputSchema: { type: 'object' } }))
const servers = Object.fromEntries([
  ['resting', { command: 'none', enabled: false }],
  ['evil', { command: 'none', tools }],
  // A name in a config cannot contain control characters; it can be any other hostile name.
  ...HOSTILE.filter((name) => !/\p{Cc}/u.test(name)).map((name) => [name, { command: 'none', tools: [{ name: 't' }] }]),
])

const bin = join(home.folder, 'bin')
const env = { ...home.env, PATH: `${bin}:${home.env.PATH}`, XDG_CONFIG_HOME: join(home.folder, '.config') }
beforeAll(() => {
  home.write('.config/toolcrib/config.json', { discovery: { servers } })
  mkdirSync(bin)
  const program = join(bin, 'toolcrib')
  // A script in place of toolcrib prints the arguments of the completed line; only `complete` runs the real program.
  writeFileSync(
    program,
    `#!/bin/sh\nif [ "$1" = complete ]; then exec '${process.execPath}' '${main}' "$@"; fi\nprintf 'GIVEN[%s]' "$@"; echo\n`,
  )
  chmodSync(program, 0o755)
})

const SHELLS = {
  bash: { command: 'bash --norc --noprofile -i', setup: "PS1='$ '; bind 'set enable-bracketed-paste off'" },
  zsh: { command: 'zsh -f -i', setup: "PS1='$ '; unsetopt beep; autoload -U compinit; compinit -u -D" },
  fish: { command: 'fish --no-config -i', setup: 'set -g fish_greeting' },
} as const

function isInstalled(shell: string): boolean {
  return spawnSync(shell, ['--version']).status === 0
}

/** Types each line, with TABs, into a shell on a terminal and returns the terminal output. */
async function type(shell: keyof typeof SHELLS, lines: readonly string[]): Promise<string> {
  const { command, setup } = SHELLS[shell]
  const { stdout: script } = await run({ cwd: home.cwd, env }, ['completion', shell])
  const file = home.write(`completion.${shell}`, script)
  const child = spawn('script', ['-qec', `stty cols 200 rows 50; ${command}`, '/dev/null'], { cwd: home.cwd, env })
  onTestFinished(() => endChild(child, 'SIGKILL'))
  const result = ended(child)
  for (const line of [setup, `. '${file}'`, ...lines, 'exit']) child.stdin.write(`${line}\r`)
  const { stdout } = await result
  return stdout
}

describe.each(['bash', 'zsh', 'fish'] as const)('in %s', (shell) => {
  const isPossible = hasTerminal && isInstalled(shell)

  it.skipIf(!isPossible)('the shell completes the plain name of a tool or a server', async () => {
    covers('CLI-COMPLETION')
    const shown = await type(shell, [
      'toolcrib inspect evil zebra_\t',
      'toolcrib inspect evil:zul\t',
      'toolcrib --json tools ev\t',
    ])
    expect(shown).toContain('GIVEN[inspect]GIVEN[evil]GIVEN[zebra_read]')
    expect(shown).toContain('GIVEN[inspect]GIVEN[evil:zulu/list]')
    expect(shown).toContain('GIVEN[--json]GIVEN[tools]GIVEN[evil]')
  })

  it.skipIf(!isPossible)(
    'the shell does not run the name of a tool or server as a command when it is completed and entered',
    async () => {
      covers('CLI-COMPLETION')
      // Some of the names are enough: the test of `complete` below checks all of them.
      const lines = ['a', 'b', 'c', 'd', 'e', 'f', '*'].map((start) => `toolcrib inspect evil ${start}\t`)
      // Also inside quotes.
      const quoted = ['"b\t"', "'d\t'", '"f\t"'].map((word) => `toolcrib inspect evil ${word}`)
      const ofServers = ['a', 'b', 'c'].map((start) => `toolcrib tools ${start}\t`)
      const shown = await type(shell, [...lines, ...quoted, ...ofServers])
      expect(shown).toContain('GIVEN[inspect]GIVEN[evil]GIVEN[a]')
      expect(shown).toContain('GIVEN[tools]GIVEN[a]')
      expect(existsSync(join(home.cwd, 'PWNED'))).toBe(false)
    },
  )
})

describe('toolcrib complete', () => {
  const complete = async (...words: readonly string[]) =>
    (await run({ cwd: home.cwd, env }, ['complete', '--', ...words])).stdout

  it('complete leaves out every name that has a meaning for a shell or for the command line', async () => {
    expect(await complete('inspect', 'evil', '')).toBe(`${SAFE.join('\n')}\n`)
    expect(await complete('tools', '')).toBe('evil\n')
    expect(await complete('inspect', '')).toBe('evil\n')
    expect(await complete('inspect', 'a; touch PWNED #:')).toBe('')
    expect(await complete('search', 'x', '--server', '')).toBe('evil\n')
    expect(await complete('disable', '')).toBe('evil\n')
    expect(await complete('enable', '')).toBe('resting\n')
  })

  it('complete accepts options before the command', async () => {
    expect(await complete('--json', 'sea')).toBe('search\n')
    expect(await complete('--config')).toBe('')
    expect(await complete('--config', '')).toBe('')
    expect(await complete('-q', 'tools', '')).toBe('evil\n')
    expect(await complete('--json', 'config', 'v')).toBe('validate\n')
  })

  it('complete offers the options, the servers and the tools that a subcommand takes', async () => {
    expect((await complete('config', 'init', '--')).split('\n')).toEqual(
      expect.arrayContaining(['--project', '--ts', '--dry-run', '--yes']),
    )
    expect(await complete('--json', 'config', 'init', '--pro')).toBe('--project\n')
    expect(await complete('pins', 'approve', '')).toBe('evil\n')
    expect(await complete('pins', 'approve', 'evil', 'zu')).toBe('zulu/list\n')
    expect(await complete('config', 'show', '')).toBe('')
  })

  it('complete offers the tools of a server after `execute`, but not after `add`', async () => {
    expect(await complete('execute', 'evil', '')).toBe(`${SAFE.join('\n')}\n`)
    expect(await complete('add', 'evil', '')).toBe('')
  })
})
