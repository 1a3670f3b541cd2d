// The prefix of this strategy's tools: the configured prefix of the server's own tools, else from the server's name.

import { DEFAULT_PREFIX } from '../../../core/names.ts'
import type { StrategyEnvironment } from '../../strategy.ts'

/** A tool name has at most 64 characters; the longest suffix needs the rest. */
const MAX_CHARS = 40

export function prefixIn({ prefix, server }: StrategyEnvironment): string {
  return prefix === DEFAULT_PREFIX && server !== undefined ? prefixFrom(server.name) : prefix
}

/** `@scope/my-Server` becomes `my_server`. */
function prefixFrom(serverName: string): string {
  const [bare = ''] = serverName.split('/').slice(-1)
  const legal = bare
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, MAX_CHARS)
    .replace(/^_+|_+$/g, '')
  return legal === '' ? 'server' : legal
}
