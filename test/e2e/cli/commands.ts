// One case for every command, with arguments that work in the home of `useGoldenHome`.

import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { startProtectedServer } from '../../../src/sources/upstream/auth/protected-server.fixture.ts'
import {
  browser,
  type CliHome,
  connect,
  createHome,
  printed,
  processesWith,
  type Ran,
  realConfig,
  root,
  run,
  start,
  stopped,
} from './harness.ts'

export interface CommandCase {
  /** The name in the help. */
  readonly name: string
  /** `<new>` stands for a name that no other run has. */
  readonly words: readonly string[]
  /** A command that runs before each run of this one. */
  readonly before?: readonly string[]
  /** For a command that serves until it is stopped: the last text that it prints. */
  readonly until?: string
  /** The log on stderr without --quiet. Default: empty. */
  readonly logs?: RegExp
}

/** `stats` first, because the other commands change the statistics. */
export const commandCases: readonly CommandCase[] = [
  { name: 'stats', words: ['stats'] },
  { name: 'status', words: ['status'] },
  { name: 'list', words: ['list', '--status', '--tools'] },
  { name: 'eval', words: ['eval', '--ranker', 'bm25f'] },
  { name: 'search', words: ['search', 'read a text file', '--limit', '2'] },
  { name: 'tools', words: ['tools', 'files', '--all', '--tags'] },
  { name: 'inspect', words: ['inspect', 'files', 'read_text_file', '--examples'] },
  { name: 'execute', words: ['execute', 'files', 'read_text_file', '--args', '{"path":"notes.txt"}'] },
  { name: 'config init', words: ['config', 'init', '--project', '--dry-run'] },
  { name: 'config show', words: ['config', 'show'] },
  { name: 'config validate', words: ['config', 'validate'] },
  { name: 'config sources', words: ['config', 'sources'] },
  { name: 'config reload', words: ['config', 'reload'] },
  { name: 'logs', words: ['logs', 'gateway', '--lines', '1'] },
  { name: 'add', words: ['add', 'notes', '--dry-run', '--env', 'API_KEY=sk-0123456789abcdef', '--', 'notes-server'] },
  { name: 'remove', words: ['remove', 'everything', '--dry-run'] },
  { name: 'enable', words: ['enable', 'files'] },
  { name: 'disable', words: ['disable', 'files', '--dry-run'] },
  { name: 'import', words: ['import'] },
  { name: 'trust', words: ['trust', '--list'] },
  { name: 'install', words: ['install', 'cursor', '--dry-run'] },
  { name: 'uninstall', words: ['uninstall', 'gemini', '--dry-run'] },
  { name: 'login', words: ['login', 'remote', '--config', 'remote.json', '--quiet'] },
  { name: 'logout', words: ['logout', 'other', '--config', 'remote.json'] },
  { name: 'pins list', words: ['pins', 'list'] },
  { name: 'pins diff', words: ['pins', 'diff'] },
  { name: 'pins approve', words: ['pins', 'approve', 'files'] },
  // doctor and serve come before `token add`, because they show more once there are tokens.
  { name: 'doctor', words: ['doctor', 'files'] },
  { name: 'serve', words: ['serve', '--http', '--port', '0'], until: 'with it\n' },
  { name: 'token list', words: ['token', 'list'] },
  { name: 'token add', words: ['token', 'add', '<new>', '--servers', 'files', '--quiet'] },
  { name: 'token revoke', words: ['token', 'revoke', '<new>'], before: ['token', 'add', '<new>'] },
  { name: 'completion', words: ['completion', 'bash'] },
  { name: 'complete', words: ['complete', '--', 'tools', ''] },
  { name: 'inspector', words: ['inspector', '--no-open', '--port', '0'], until: 'Ctrl-C.\n' },
  {
    name: 'wrap',
    words: [
      'wrap',
      '--http',
      '--port',
      '0',
      '--',
      process.execPath,
      join(root, 'build/examples/servers/notes/server.js'),
    ],
    until: 'Ctrl-C.\n',
    logs: /^toolcrib: auto lists as individual: \d+ tools cost [\d,]+ tokens, within the budget of 5,000 \(.*\)\n$/,
  },
  { name: 'example', words: ['example', '--port', '0'], until: 'individual: ' },
]

/** Inserts flags before `--`; all words after `--` are arguments. */
export function withFlags(words: readonly string[], flags: readonly string[]): readonly string[] {
  const end = words.indexOf('--')
  return end < 0 ? [...words, ...flags] : words.toSpliced(end, 0, ...flags)
}

/** A home with real servers that were started once, a running gateway, a recorded session, and client configs. */
export function useGoldenHome(): CliHome {
  const home = createHome()
  const closing: (() => void)[] = []
  let gateway: ChildProcess | undefined
  beforeAll(async () => {
    realConfig(home)
    home.write('.cursor/mcp.json', {
      mcpServers: { github: { command: 'npx', args: ['-y', 'gh'], env: { GITHUB_TOKEN: 'ghp_0123456789abcdefghij' } } },
    })
    home.write('.gemini/settings.json', {
      mcpServers: { toolcrib: { command: 'npx', args: ['-y', 'toolcrib', 'serve'] } },
    })
    home.write('team/toolcrib.config.json', { discovery: { servers: { shared: { command: 'shared-server' } } } })
    const { url } = await startProtectedServer({ onOpen: (close) => closing.push(close) })
    home.env.BROWSER = browser
    home.write('project/remote.json', { discovery: { servers: { remote: { url }, other: { url } } } })
    await run(home, ['trust', join(home.folder, 'team'), '--yes'])
    await run(home, ['search', 'anything'])
    const client = await connect(home)
    await client.listTools()
    await client.callTool({ name: 'search_tools', arguments: { query: 'read a file' } })
    for (const path of ['notes.txt', 'none.txt']) {
      await client.callTool({ name: 'execute_tool', arguments: { tool: 'files:read_text_file', arguments: { path } } })
    }
    await client.close()
    gateway = start(home, ['serve', '--http', '--port', '0'])
    await printed(gateway, 'with it')
  })
  afterAll(async () => {
    if (gateway !== undefined) await stopped(gateway, 'SIGTERM')
    for (const close of closing) close()
    expect(processesWith(home.folder)).toEqual([])
    await home.remove()
  })
  return home
}

let made = 0

/** Replaces `<new>`, and runs the command that must run before. */
export async function prepared(
  home: CliHome,
  { before }: CommandCase,
  words: readonly string[],
): Promise<readonly string[]> {
  const name = `person-${++made}`
  const named = (all: readonly string[]) => all.map((word) => (word === '<new>' ? name : word))
  if (before !== undefined) await run(home, named(before))
  return named(words)
}

/** Runs a command, stops it if it serves, and returns its output. */
export async function answer(home: CliHome, one: CommandCase, given: readonly string[], env = {}): Promise<Ran> {
  const { until } = one
  const words = await prepared(home, one, given)
  if (until === undefined) return run(home, words, { env })
  // With --json or --quiet, a command that serves prints one line, and nothing after it.
  const isShort = words.includes('--json') || words.includes('--quiet')
  return served(home, words, isShort ? '\n' : until, env)
}

async function served(home: CliHome, words: readonly string[], until: string, env: NodeJS.ProcessEnv): Promise<Ran> {
  const child = start(home, words, { env })
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const stdout = await printed(child, until)
  return { code: await stopped(child, 'SIGINT'), stdout, stderr }
}

/**
 * Replaces parts that differ between machines and between releases of a server. Also replaces the names of a server's
 * variables, because a terminal and FORCE_COLOR add some.
 */
export function normal(text: string, home: CliHome): string {
  return text
    .replaceAll(home.folder, '<home>')
    .replace(/(?<=approved on )[\d-]+/g, '<date>')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '<when>')
    .replaceAll(root.replace(/\/$/, ''), '<root>')
    .replaceAll(process.execPath, '<node>')
    .replace(/\d+(?:\.\d+)? m?s\b/g, '<time>')
    .replace(/[\d,]+(?: |\n +)(?=tokens?\b|without|with it|for enabled)/g, '<n> ')
    .replace(/\d+% (match|less)/g, '<n>% $1')
    .replace(/Gateway \d+/g, 'Gateway <pid>')
    .replace(/Running as process \d+/g, 'Running as process <pid>')
    .replace(/(127\.0\.0\.1|localhost):\d+/g, '$1:<port>')
    .replace(/Bearer [\w-]+/g, 'Bearer <token>')
    .replace(/toolcrib_[\w-]{43}/g, '<new token>')
    .replace(/person-\d+/g, '<new>')
    .replace(/Toolcrib \d\S*/g, 'Toolcrib <version>')
    .replace(/(individual|lazy): \d+/g, '$1: <n>')
    .replace(/(?<= )\d[\d,]{2,}(?= |$)/gm, '<n>')
    .replace(/\d+\.\d%/g, '<n>%')
    .replace(/\d+\.\d\d, \d+\.\d\d\s+\S+\s+(?:<n>|\d+),? (?:<n>|\d+)/g, '<ms> <ms> <n>')
    .replace(/\d+ times/g, '<n> times')
    .replace(/\d+(?=\s+environment\s+variables\b)/g, '<n>')
    .replace(/(?<=Variables:)(?:\s+\w+,)*\s+\w+/g, ' <names>')
}
