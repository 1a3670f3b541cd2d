// For the tests of the stdio front door: a server as a process of its own, and its pipes. Needs the built test/fixtures.

import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { initialize, LEGACY, type Message } from './raw-client.fixture.ts'

const ENTRY = fileURLToPath(new URL('../../build/test/fixtures/front-door-entry.js', import.meta.url))

export interface StdioChild {
  readonly process: ChildProcessWithoutNullStreams
  /** Everything it wrote to stdout; a test checks that it is nothing but messages. */
  readonly stdout: string
  readonly stderr: string
  readonly messages: readonly Message[]
  /** A text is sent as it is, with a line break behind it; anything else as JSON. */
  send(message: unknown): void
  find(isIt: (message: Message) => boolean): Promise<Message>
  /** When its stderr contains this. */
  said(text: string): Promise<void>
  /** How it ended, once it has. */
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>
}

export interface ChildOptions {
  /** `limits.drainMs` of the server. */
  readonly drainMs?: number
}

export interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** An open file to read from, in place of a pipe. */
  readonly stdin?: number
}

export async function startChild({ drainMs }: ChildOptions = {}): Promise<StdioChild> {
  const child = startProgram(drainMs === undefined ? [ENTRY] : [ENTRY, String(drainMs)])
  await child.said('started')
  return child
}

/** A program of Node with pipes; it is killed when the test is over. */
export function startProgram(args: readonly string[], options: ProgramOptions = {}): StdioChild {
  const { env, cwd, stdin = 'pipe' } = options
  const started: ChildProcess = spawn(process.execPath, args, { stdio: [stdin, 'pipe', 'pipe'], cwd, env })
  // Only without an open file for it: then `process.stdin` is null, and such a test sends nothing.
  const child = started as ChildProcessWithoutNullStreams
  onTestFinished(() => void child.kill('SIGKILL'))
  let [stdout, stderr, parsedTo] = ['', '', 0]
  let isOver = false
  const messages: Message[] = []
  const watchers = new Set<() => void>()
  const look = () => {
    for (const watcher of watchers) watcher()
  }
  const parse = () => {
    for (let end = stdout.indexOf('\n', parsedTo); end >= 0; end = stdout.indexOf('\n', parsedTo)) {
      messages.push(JSON.parse(stdout.slice(parsedTo, end)) as Message) // the server's own; the tests check what is in it
      parsedTo = end + 1
    }
  }
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk
    parse()
    look()
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk
    look()
  })
  child.stdin?.on('error', () => {})
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  void exited.then(() => {
    isOver = true
    look()
  })
  const watch = <T>(claim: string, get: () => T | undefined) =>
    new Promise<T>((resolve, reject) => {
      const watcher = () => {
        const found = get()
        if (found === undefined && !isOver) return
        watchers.delete(watcher)
        if (found !== undefined) resolve(found)
        else reject(new Error(`The server ended before ${claim}: ${stderr.slice(-2_000)}`))
      }
      watchers.add(watcher)
      watcher()
    })
  return {
    process: child,
    get stdout() {
      return stdout
    },
    get stderr() {
      return stderr
    },
    messages,
    send: (message) => void child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`),
    find: (isIt) => watch('that message', () => messages.find(isIt)),
    said: async (text) => void (await watch(`it said '${text}'`, () => (stderr.includes(text) ? true : undefined))),
    exited,
  }
}

/** A child that a legacy client has introduced itself to. */
export async function startInitialized(options?: ChildOptions): Promise<StdioChild> {
  const child = await startChild(options)
  child.send(initialize())
  const { result } = await child.find(({ id }) => id === 'init')
  if (result?.protocolVersion !== LEGACY) throw new Error('It did not initialize.')
  child.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  return child
}
