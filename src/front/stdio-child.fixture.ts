// Test fixture: a stdio server as a child process. Needs the built test/fixtures.

import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { initialize, LEGACY, type Message } from './raw-client.fixture.ts'

const ENTRY = fileURLToPath(new URL('../../build/test/fixtures/front-door-entry.js', import.meta.url))

export interface StdioChild {
  readonly process: ChildProcessWithoutNullStreams
  /** Everything that the process wrote to stdout. The tests check that it contains only messages. */
  readonly stdout: string
  readonly stderr: string
  readonly messages: readonly Message[]
  /** A text is sent unchanged with a line break, other values as JSON. */
  send(message: unknown): void
  /** Resolves with the first message that matches. */
  find(matches: (message: Message) => boolean): Promise<Message>
  /** Resolves when the stderr of the process contains this text. */
  said(text: string): Promise<void>
  /** Resolves when the process has ended. */
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>
}

interface StdioChildOptions {
  /** `limits.drainMs` of the server. */
  readonly drainMs?: number
}

interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** A file descriptor to read from, instead of a pipe. */
  readonly stdin?: number
}

export async function startChild({ drainMs }: StdioChildOptions = {}): Promise<StdioChild> {
  const child = startProgram(drainMs === undefined ? [ENTRY] : [ENTRY, String(drainMs)])
  await child.said('started')
  return child
}

/** Starts a Node program with pipes. It is killed when the test ends. */
export function startProgram(args: readonly string[], options: ProgramOptions = {}): StdioChild {
  const { env, cwd, stdin = 'pipe' } = options
  const started: ChildProcess = spawn(process.execPath, args, { stdio: [stdin, 'pipe', 'pipe'], cwd, env })
  // If `stdin` is a file descriptor, `child.stdin` is null, and the test does not call `send`.
  const child = started as ChildProcessWithoutNullStreams
  onTestFinished(() => void child.kill('SIGKILL'))
  let [stdout, stderr, parsedTo] = ['', '', 0]
  let isOver = false
  const messages: Message[] = []
  const watchers = new Set<() => void>()
  const notifyWatchers = () => {
    for (const watcher of watchers) watcher()
  }
  const parse = () => {
    for (let end = stdout.indexOf('\n', parsedTo); end >= 0; end = stdout.indexOf('\n', parsedTo)) {
      messages.push(JSON.parse(stdout.slice(parsedTo, end)) as Message) // sent by the server under test; the tests check its content
      parsedTo = end + 1
    }
  }
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk
    parse()
    notifyWatchers()
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk
    notifyWatchers()
  })
  child.stdin?.on('error', () => {})
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  void exited.then(() => {
    isOver = true
    notifyWatchers()
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
    find: (matches) => watch('that message', () => messages.find(matches)),
    said: async (text) => void (await watch(`it said '${text}'`, () => (stderr.includes(text) ? true : undefined))),
    exited,
  }
}

/** A child process after the initialize handshake of a legacy client. */
export async function startInitialized(options?: StdioChildOptions): Promise<StdioChild> {
  const child = await startChild(options)
  child.send(initialize())
  const { result } = await child.find(({ id }) => id === 'init')
  if (result?.protocolVersion !== LEGACY) throw new Error('The server did not initialize.')
  child.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  return child
}
