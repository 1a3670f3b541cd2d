// What to do where no server is configured at all.

import { join } from 'node:path'
import type { CommandError } from '../core/result.ts'
import { oneLine, shortPath } from './output/text.ts'
import type { Work } from './work.ts'

export function howToAddServers({ environment, flags }: Pick<Work, 'environment' | 'flags'>): string {
  const { configDir, home } = environment
  const file = flags.config ?? shortPath(join(configDir, 'config.json'), home)
  return `Run \`toolcrib import\` to see the servers of the clients on this machine, or add some under discovery.servers in a config file such as ${oneLine(file)}.`
}

/** Whoever names a server where there is none has none to choose from. */
export function withoutServers(error: CommandError, configured: number, work: Work): CommandError {
  if (error.code !== 'SERVER_NOT_FOUND' || configured > 0) return error
  return { ...error, suggestion: `No server is configured. ${howToAddServers(work)}` }
}
