// The programs that serve over stdio, as real processes, and the messages that call a tool of each.

import { closeSync, openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { initialize, modern, toolCall } from '../../../src/front/raw-client.fixture.ts'
import { type StdioChild, startProgram } from '../../../src/front/stdio-child.fixture.ts'
import { fixturePath } from '../../../src/sources/upstream/upstream.fixture.ts'
import { main } from '../cli/harness.ts'
import type { ProtocolEra } from '../gateway/client.ts'
import type { GatewayHome } from '../gateway/home.ts'
import { fixtureServer } from '../gateway/servers.ts'

const COMMANDS = fileURLToPath(new URL('../../../build/test/fixtures/front-door-entry.js', import.meta.url))

export interface StdioProgram {
  /** The arguments after `node`. */
  args(home: GatewayHome): readonly string[]
  /** Returns a call that takes `waitMs`. */
  call(id: string | number, waitMs: number): Message
}

interface Message {
  readonly id?: string | number
  readonly method: string
  readonly params?: object
}

/** The tested programs by their name. Each reads requests from stdin. */
export const programs = {
  serve: {
    args: (home) => [main, 'serve', '--config', home.config],
    call: (id, waitMs) => toolCall('execute_tool', { tool: 'notes:add', arguments: { text: 'x', waitMs } }, id),
  },
  wrap: {
    args: () => [main, 'wrap', '--strategy', 'individual', '--', process.execPath, fixturePath('notes')],
    call: (id, waitMs) => toolCall('add', { text: 'x', waitMs }, id),
  },
  createMcpServer: {
    args: () => [COMMANDS],
    call: (id, waitMs) => toolCall('job-wait', { waitMs }, id),
  },
  // All commands of this program answer at once.
  example: {
    args: () => [main, 'example', '--stdio', '--strategy', 'lazy'],
    call: (id) => toolCall('afd-discover', {}, id),
  },
} satisfies Record<string, StdioProgram>

/** Writes a config with one server. Its tool `add` waits for `waitMs` before it answers. */
export function writeConfig(home: GatewayHome, limits: Readonly<Record<string, number>> = {}): void {
  home.write('gateway.json', { discovery: { listWaitMs: 30_000, servers: { notes: fixtureServer('notes') } }, limits })
}

/** The messages of a client of this era, one per line: the handshake, tools/list, and these calls. */
export function linesFor(era: ProtocolEra, calls: readonly Message[]): readonly string[] {
  const list = { jsonrpc: '2.0', id: 'list', method: 'tools/list' }
  if (era === 'modern') {
    const discover = { jsonrpc: '2.0', id: 'init', method: 'server/discover' }
    return [discover, list, ...calls].map((message) => JSON.stringify(modern(message).body))
  }
  const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }
  return [initialize(), initialized, list, ...calls].map((message) => JSON.stringify(message))
}

export interface StartedProgram {
  readonly home: GatewayHome
  /** The path of a file to use as stdin instead of a pipe. */
  readonly input?: string
}

export function start(args: readonly string[], { home, input }: StartedProgram): StdioChild {
  const stdin = input === undefined ? undefined : openSync(input, 'r')
  if (stdin !== undefined) onTestFinished(() => closeSync(stdin))
  return startProgram(args, { env: home.env, cwd: home.path, ...(stdin === undefined ? {} : { stdin }) })
}
