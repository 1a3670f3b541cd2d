// The servers of the gateway scenarios, as entries of a config.

import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, vi } from 'vitest'
import { freePort } from '../../../src/sources/upstream/http.fixture.ts'
import { fixture, reference } from '../../../src/sources/upstream/upstream.fixture.ts'
import { endChild } from './processes.ts'

/** An entry of `servers` in a config, in the form with a `connection`. */
export interface ServerEntry {
  readonly connection: Readonly<Record<string, unknown>>
  readonly [key: string]: unknown
}

export const everything = (): ServerEntry => ({ connection: { ...reference('everything', 'stdio') } })

export const filesystem = (folder: string): ServerEntry => ({ connection: { ...reference('filesystem', folder) } })

export const memory = (file: string): ServerEntry => ({
  connection: { ...reference('memory'), env: { MEMORY_FILE_PATH: file } },
})

/** A server of test/fixtures/upstream. */
export const fixtureServer = (name: string, ...args: readonly string[]): ServerEntry => ({
  connection: { ...fixture(name, ...args) },
})

/** One of the bundled example servers. */
export function bundled(name: 'notes' | 'tracker' | 'shop'): ServerEntry {
  const path = fileURLToPath(new URL(`../../../build/examples/servers/${name}/server.js`, import.meta.url))
  return { connection: { type: 'stdio', command: process.execPath, args: [path] } }
}

export function withEnv(entry: ServerEntry, env: Readonly<Record<string, string>>): ServerEntry {
  return { ...entry, connection: { ...entry.connection, env } }
}

/** A server with a program that does not exist. */
export const missing: ServerEntry = { connection: { type: 'stdio', command: 'no-such-program-anywhere' } }

export interface ServerAtAddress {
  readonly url: string
  start(): Promise<void>
  kill(): Promise<void>
}

/** Runs the everything server on its own port for the duration of the suite. */
export function everythingAt(mode: 'streamableHttp' | 'sse'): ServerAtAddress {
  let port = 0
  let child: ChildProcess | undefined
  const url = () => `http://127.0.0.1:${port}/${mode === 'sse' ? 'sse' : 'mcp'}`
  const kill = async () => {
    if (child !== undefined) await endChild(child, 'SIGKILL')
  }
  const start = async () => {
    const { command, args } = reference('everything', mode)
    child = spawn(command, args, { env: { ...process.env, PORT: String(port) }, stdio: 'ignore' })
    // Any response shows that the server listens.
    const answers = () => fetch(new URL('/', url())).then(Boolean, () => false)
    await vi.waitUntil(answers, { timeout: 30_000, interval: 20 })
  }
  beforeAll(async () => {
    port = await freePort()
    await start()
  })
  afterAll(kill)
  return {
    get url() {
      return url()
    },
    start,
    kill,
  }
}
