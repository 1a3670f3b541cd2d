// Helpers for the tests of the command line: run the built program in a child process with its own home folder.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, expect } from 'vitest'

import { removeFolder } from '../../../src/storage/remove-folder.fixture.ts'
import { citing } from '../citing.ts'
import { cliRequirements } from './requirements.ts'

export const root = fileURLToPath(new URL('../../..', import.meta.url))
export const main = join(root, 'dist', 'cli', 'main.js')
/** A browser without a window, for the variable `BROWSER`. */
export const browser = `${process.execPath} ${join(root, 'build/test/fixtures/browser-entry.js')}`

export interface CliHome {
  readonly folder: string
  /** The working directory of commands. */
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  write(path: string, content: string | object): string
  /** Call it when the programs that use the home have ended. */
  remove(): Promise<void>
}

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface CliRunOptions {
  readonly env?: NodeJS.ProcessEnv
  readonly input?: string
  readonly cwd?: string
  /** The width of the terminal. */
  readonly columns?: number
  /** On a terminal: types `keys` after the text `after` was printed. */
  readonly typed?: readonly (readonly [after: string, keys: string])[]
}

export function createHome(): CliHome {
  const folder = mkdtempSync(join(tmpdir(), 'toolcrib-cli-'))
  const cwd = join(folder, 'project')
  mkdirSync(cwd)
  return {
    folder,
    cwd,
    env: envOf(folder),
    write(path, content) {
      const file = join(folder, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
      return file
    },
    remove: () => removeFolder(folder),
  }
}

/** A minimal environment: variables of the person who runs the tests must not leak in. */
export function envOf(home: string): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: home, USERPROFILE: home, LANG: 'C.UTF-8', TERM: 'xterm' }
}

/** Removes undefined values, which the transport of the SDK does not accept. */
export function definedVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

/** The path of a real server from npm. */
export function serverScript(name: 'everything' | 'filesystem' | 'memory'): string {
  return join(root, 'node_modules', '@modelcontextprotocol', `server-${name}`, 'dist', 'index.js')
}

/** Writes the user's config with the servers `files` and `everything`, and a rule that disables some tools. */
export function realConfig(home: CliHome): string {
  writeFileSync(join(home.cwd, 'notes.txt'), 'first\nsecond\n')
  return home.write('.config/toolcrib/config.json', {
    discovery: {
      servers: {
        files: {
          description: 'The files of this project',
          command: process.execPath,
          args: [serverScript('filesystem'), home.cwd],
        },
        everything: {
          description: 'One of each kind',
          command: process.execPath,
          args: [serverScript('everything')],
        },
      },
      toolRules: [
        { server: 'files', pattern: ['move_*', 'write_*'], enabled: false, tags: ['changes'] },
        { server: 'files', pattern: ['read_*'], tags: ['reads'] },
      ],
    },
  })
}

export interface StartCommand {
  readonly command: string
  readonly args: readonly string[]
}

/** Connects a client to a server that it starts, by default this program. */
export async function connect(
  home: Pick<CliHome, 'cwd' | 'env'>,
  { command, args }: StartCommand = { command: process.execPath, args: [main] },
  more: NodeJS.ProcessEnv = {},
): Promise<Client> {
  const env = definedVariables({ ...home.env, ...more })
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(new StdioClientTransport({ command, args: [...args], cwd: home.cwd, env, stderr: 'ignore' }))
  return client
}

/** A home for all tests of a file, with real servers that were started once. At the end, no process may be left. */
export function useRealHome(): CliHome {
  const home = createHome()
  beforeAll(async () => {
    realConfig(home)
    await run(home, ['search', 'anything'])
  })
  afterAll(async () => {
    expect(processesWith(home.folder)).toEqual([])
    await home.remove()
  })
  return home
}

export function run(
  home: Pick<CliHome, 'cwd' | 'env'>,
  args: readonly string[],
  options: CliRunOptions = {},
): Promise<Ran> {
  const child = start(home, args, options)
  child.stdin?.end(options.input ?? '')
  return ended(child)
}

export function start(
  home: Pick<CliHome, 'cwd' | 'env'>,
  args: readonly string[],
  options: CliRunOptions = {},
): ChildProcess {
  return spawn(process.execPath, [main, ...args], {
    cwd: options.cwd ?? home.cwd,
    env: { ...home.env, ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

export function ended(child: ChildProcess): Promise<Ran> {
  let [stdout, stderr] = ['', '']
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })))
}

/** Resolves with the output as soon as it contains `wanted`. */
export function printed(child: ChildProcess, wanted: string, stream: 'stdout' | 'stderr' = 'stdout'): Promise<string> {
  return new Promise((resolve, reject) => {
    let seen = ''
    child[stream]?.setEncoding('utf8').on('data', (text: string) => {
      seen += text
      if (seen.includes(wanted)) resolve(seen)
    })
    child.once('close', () => reject(new Error(`The program ended before it printed '${wanted}': ${seen}`)))
  })
}

/** Sends the signal and returns the exit code. */
export async function stopped(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  child.kill(signal)
  return child.exitCode ?? closed
}

export const hasTerminal = spawnSync('script', ['--version']).status === 0

/** Runs the program on a pseudo terminal, by default with 80 columns. stdout and stderr are merged there. */
export function runOnTerminal(home: CliHome, args: readonly string[], options: CliRunOptions = {}): Promise<Ran> {
  const words = [process.execPath, main, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`)
  const child = spawn(
    'script',
    ['-qec', `stty cols ${options.columns ?? 80} rows 24 -echo; ${words.join(' ')}`, '/dev/null'],
    {
      cwd: options.cwd ?? home.cwd,
      env: { ...home.env, ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  )
  if (options.input !== undefined) child.stdin.write(options.input)
  const result = ended(child)
  typeWhenAsked(child, options.typed ?? [])
  return result
    .then((ran) => ({ ...ran, stdout: ran.stdout.replaceAll('\r\n', '\n') }))
    .finally(() => child.stdin.end())
}

function typeWhenAsked(child: ChildProcess, typed: NonNullable<CliRunOptions['typed']>): void {
  const waiting = [...typed]
  let seen = ''
  child.stdout?.on('data', (text: string) => {
    seen += text
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const at = seen.indexOf(next[0])
      if (at < 0) return
      seen = seen.slice(at + next[0].length)
      child.stdin?.write(next[1])
      waiting.shift()
    }
  })
}

/** The processes with this text in their command line. */
export function processesWith(text: string): readonly string[] {
  const { stdout } = spawnSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' })
  return stdout.split('\n').filter((line) => line.includes(text) && !line.includes('ps -eo'))
}

/** Names the requirements that a scenario tests. */
export const covers = citing(cliRequirements)
