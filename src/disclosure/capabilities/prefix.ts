// The prefix of the pair: the one configured for the server's own tools, else made from its name.

import { DEFAULT_PREFIX } from '../../sources/commands/define.ts'
import type { StrategyEnvironment } from '../strategy.ts'

/** What is left of the 64 characters of a name beside the longest of the tools. */
const MAX_CHARS = 40

export function prefixIn({ prefix, server }: StrategyEnvironment): string {
  return prefix === DEFAULT_PREFIX && server !== undefined ? prefixFrom(server.name) : prefix
}

/** `@scope/my-Server` is `my_server`. */
function prefixFrom(serverName: string): string {
  const [bare = ''] = serverName.split('/').slice(-1)
  const legal = bare
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, MAX_CHARS)
    .replace(/^_+|_+$/g, '')
  return legal === '' ? 'server' : legal
}
