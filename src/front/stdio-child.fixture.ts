// Test fixture: a stdio server as a child process. Needs the built test/fixtures.

import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { createWaits } from './door.fixture.ts'
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

/** Starts a Node program with pipes. When the test ends, the program is killed. */
export function startProgram(args: readonly string[], options: ProgramOptions = {}): StdioChild {
  const { env, cwd, stdin = 'pipe' } = options
  const started: ChildProcess = spawn(process.execPath, args, { stdio: [stdin, 'pipe', 'pipe'], cwd, env })
  // If `stdin` is a file descriptor, `child.stdin` is null, and the test does not call `send`.
  const child = started as ChildProcessWithoutNullStreams
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  let [stdout, stderr, parsedTo] = ['', '', 0]
  const messages: Message[] = []
  const waits = createWaits(() => stderr)
  const parse = () => {
    for (let end = stdout.indexOf('\n', parsedTo); end >= 0; end = stdout.indexOf('\n', parsedTo)) {
      messages.push(JSON.parse(stdout.slice(parsedTo, end)) as Message) // sent by the server under test; the tests check its content
      parsedTo = end + 1
    }
  }
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk
    parse()
    waits.check()
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk
    waits.check()
  })
  child.stdin?.on('error', () => {})
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  void exited.then(waits.end)
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
    find: (matches) => waits.wait('that message came', () => messages.find(matches)),
    said: async (text) => void (await waits.wait(`'${text}' came`, () => stderr.includes(text) || undefined)),
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
