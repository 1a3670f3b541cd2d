// Test fixture: sources with real processes. A test fails if it leaves a process behind.

import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, vi } from 'vitest'
import type { Connection, ServerConfig, StdioConnection } from '../../config/server-config.ts'
import { tempFolder } from '../../config/temp-folder.fixture.ts'
import { createSchemaValidator } from '../../core/json-schema.ts'
import { createMemoryStore } from '../../storage/memory.ts'
import type { Store } from '../../storage/store.ts'
import type { ServerState } from './lifecycle.ts'
import type { UpstreamSettings } from './settings.ts'
import { createStartLimiter } from './start-limiter.ts'
import { createUpstreamSource, type UpstreamSource, type UpstreamSourceOptions } from './upstream-source.ts'
import { createWatchdog, type Watchdog } from './watchdog.ts'

export const signal = new AbortController().signal
export const validator = createSchemaValidator()
/** Long enough for a process on a busy machine. Most events take a tenth of this time. */
export const DEADLINE_MS = 10_000

/** The connection to a server of test/fixtures/upstream. */
export function fixture(name: string, ...args: readonly string[]): StdioConnection {
  return stdio([fixturePath(name), ...args])
}

/** The connection to a server with this code. The code can use the functions of raw-server.ts. */
export function serverWith(code: string): StdioConnection {
  const folder = tempFolder()
  const imports = `import { ask, notify, send, serveRaw, text, tool } from ${JSON.stringify(fixturePath('raw-server'))}`
  return { ...stdio([folder.write('server.mjs', `${imports}\n${code}`)]), cwd: folder.path }
}

export function fixturePath(name: string): string {
  return existingPath(`../../../build/test/fixtures/upstream/${name}.js`)
}

/** The connection to one of the reference servers from npm. */
export function reference(name: 'everything' | 'filesystem' | 'memory', ...args: readonly string[]): StdioConnection {
  return stdio([existingPath(`../../../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`), ...args])
}

export function withEnv(connection: StdioConnection, env: Readonly<Record<string, string>>): StdioConnection {
  return { ...connection, env }
}

export function configOf(connection: Connection, more: Partial<ServerConfig> = {}): ServerConfig {
  return { name: 'tested', connection, enabled: true, origin: { source: 'config', file: 'test' }, ...more }
}

export interface TestedSource {
  readonly source: UpstreamSource
  readonly states: readonly ServerState[]
  readonly problems: readonly string[]
  readonly store: Store
  readonly watchdog: RecordingWatchdog
}

export interface TestedOptions extends Partial<Omit<UpstreamSourceOptions, 'config' | 'options'>> {
  readonly config?: Partial<ServerConfig>
  readonly options?: Partial<UpstreamSettings>
}

/** The source is disposed at the end of the test, which fails if a process is left. */
export function sourceOf(connection: Connection, given: TestedOptions = {}): TestedSource {
  const states: ServerState[] = []
  const problems: string[] = []
  const store = given.store ?? createMemoryStore()
  const watchdog = recordingWatchdog()
  const source = createUpstreamSource({
    resolve: (written) => written,
    startLimiter: createStartLimiter(),
    validator,
    inheritance: () => ({ env: process.env }),
    clientInfo: { name: 'toolcrib-test', version: '1.0.0' },
    onState: (state) => states.push(state),
    onProblem: (reason) => problems.push(reason),
    watchdog,
    ...given,
    store,
    config: configOf(connection, given.config),
    options: { graceMs: 150, startTimeoutMs: DEADLINE_MS, ...given.options },
  })
  onTestFinished(async () => {
    await source[Symbol.asyncDispose]()
    await watchdog.expectNoneLeft()
  })
  return { source, states, problems, store, watchdog }
}

interface RecordingWatchdog extends Watchdog {
  /** The leaders of all groups that were ever watched. */
  readonly seen: readonly number[]
  expectNoneLeft(): Promise<void>
}

export function recordingWatchdog(): RecordingWatchdog {
  const inner = createWatchdog()
  const seen: number[] = []
  const watchdogs = new Set<number>()
  return {
    seen,
    get pid() {
      return inner.pid
    },
    watch(groupId) {
      seen.push(groupId)
      inner.watch(groupId)
      if (inner.pid !== undefined) watchdogs.add(inner.pid)
    },
    unwatch: (groupId) => inner.unwatch(groupId),
    async expectNoneLeft() {
      await expect.poll(() => [...seen, ...watchdogs].filter(isAlive), { timeout: DEADLINE_MS }).toEqual([])
    },
  }
}

/** Listens on a free port, and returns the origin. `onOpen` gets the function that closes the server. */
export async function listenForTest(
  server: Server,
  onOpen: (close: () => void) => void = onTestFinished,
): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onOpen(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on a port
}

/** True for a running process, false for a zombie. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : ''
    return !/\) Z /.test(stat)
  } catch {
    return false
  }
}

export async function until(condition: () => boolean, timeout = DEADLINE_MS): Promise<void> {
  await vi.waitUntil(condition, { timeout, interval: 10 })
}

function stdio(args: readonly string[]): StdioConnection {
  return { type: 'stdio', command: process.execPath, args, env: {} }
}

/** The absolute path of a file that must exist. */
function existingPath(path: string): string {
  const file = fileURLToPath(new URL(path, import.meta.url))
  if (existsSync(file)) return file
  throw new Error(`${file} is missing: run \`npx tsc -p tsconfig.tools.json\` first.`)
}
