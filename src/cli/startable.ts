// What must be there for a server to start.

import type { ServerConfig } from '../config/server-config.ts'
import { manifestKey } from '../sources/upstream/manifest.ts'
import { unsetNames } from './unset-variables.ts'

export interface Startable {
  readonly id: string
  /** Of its manifest. */
  readonly key: string
  /** To which it refers without a default. */
  readonly variables: readonly string[]
}

export function startable(server: ServerConfig): Startable {
  return { id: server.name, key: manifestKey(server), variables: unsetNames(server.connection, {}) }
}
