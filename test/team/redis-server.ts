// A real Redis for tests: REDIS_URL if it is set, else `redis-server` on a free port in a temporary folder.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export interface RedisServer {
  readonly port: number
  /** With another prefix at every call, so that tests share no entries. */
  url(user?: string): string
  /** Ends the server: `kill -9`, or a normal end. */
  stop(signal?: NodeJS.Signals): Promise<void>
  /** Starts it again on the same port, with the entries that it had. */
  start(): Promise<void>
  /** Stops its process without ending it: connections stay open, and answers do not come. */
  freeze(): void
  thaw(): void
  [Symbol.asyncDispose](): Promise<void>
}

export interface RedisServerOptions {
  /** More lines of its configuration as arguments. */
  readonly args?: readonly string[]
  /** Keep every write on disk, so that a restart loses nothing. */
  readonly isDurable?: boolean
}

/** False if the program is not installed. Then it prints one line, or fails where the variable requires it. */
export function hasProgram(name: string): boolean {
  if (spawnSync(name, ['-v'], { stdio: 'ignore' }).error === undefined) return true
  const message = `${name} is not installed: the tests that need it are skipped.`
  if (process.env.TOOLCRIB_REQUIRE_SERVICES) throw new Error(message)
  console.warn(message)
  return false
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

export async function startRedis({ args = [], isDurable = false }: RedisServerOptions = {}): Promise<RedisServer> {
  const dir = await mkdtemp(join(tmpdir(), 'toolcrib-redis-'))
  const port = await freePort()
  let child: ChildProcess | undefined
  let made = 0
  const start = async () => {
    const durable = isDurable ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no']
    const own = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', dir, ...durable]
    child = spawn('redis-server', [...own, ...args], { stdio: 'ignore' })
    await answers(port)
  }
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    const ending = child
    child = undefined
    if (ending === undefined || ending.exitCode !== null) return
    const ended = once(ending, 'exit')
    ending.kill(signal)
    await ended
  }
  await start()
  return {
    port,
    url(user = '') {
      made += 1
      return `redis://${user}127.0.0.1:${port}/0?prefix=test-${process.pid}-${made}`
    },
    stop,
    start,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      child?.kill('SIGCONT')
      await stop('SIGKILL')
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** Waits until the port accepts a connection and answers a command. */
export async function answers(port: number, message = 'PING\r\n', withinMs = 10_000): Promise<void> {
  const until = Date.now() + withinMs
  while (!(await hasAnswer(port, message))) {
    if (Date.now() > until) throw new Error(`Nothing answers on port ${port}.`)
    await sleep(10)
  }
}

async function hasAnswer(port: number, message: string): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    socket.write(message)
    const [data] = await once(socket, 'data')
    return !String(data).startsWith('-LOADING')
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
