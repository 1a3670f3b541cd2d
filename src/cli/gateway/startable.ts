// The part of a server's config that decides whether it can start.

import type { ServerConfig } from '../../config/server-config.ts'
import { manifestKey } from '../../sources/upstream/manifest.ts'
import { unsetNames } from './unset-variables.ts'

export interface Startable {
  readonly id: string
  /** The key of its manifest. */
  readonly key: string
  /** The variables that its connection refers to without a default. */
  readonly variables: readonly string[]
}

export function startable(server: ServerConfig): Startable {
  return { id: server.name, key: manifestKey(server), variables: unsetNames(server.connection, {}) }
}
