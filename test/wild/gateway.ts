// A real `toolcrib serve` over stdio in front of several servers, as a client starts it.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ProtocolEra } from '../e2e/gateway/client.ts'
import { type ChildClient, connectChild } from './child-client.ts'
import type { WildServer } from './servers.ts'

// This file runs as build/test/wild/gateway.js.
const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))

/** `home` keeps the cached lists, so a second gateway with the same home starts with known servers. */
export function openGateway(home: string, servers: readonly WildServer[], era: ProtocolEra): Promise<ChildClient> {
  mkdirSync(home, { recursive: true })
  const config = join(home, 'config.json')
  const entries = Object.fromEntries(servers.map(({ alias, program }) => [alias, program]))
  writeFileSync(config, JSON.stringify({ discovery: { servers: entries } }))
  return connectChild(
    {
      command: process.execPath,
      args: [MAIN, 'serve', '--config', config],
      cwd: home,
      env: { HOME: home, XDG_CACHE_HOME: join(home, 'cache'), XDG_STATE_HOME: join(home, 'state') },
    },
    era,
  )
}
