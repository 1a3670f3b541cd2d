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

/** `isOff`: the configuration switches discovery off, so its servers are not used. */
export function whyNoServers(work: Pick<Work, 'environment' | 'flags'>, isOff = false): string {
  return isOff
    ? 'Discovery is switched off: discovery.enabled is false. Set it to true to use the configured servers; `toolcrib config show` names the file.'
    : `No server is configured. ${howToAddServers(work)}`
}

/** A server that is named where there is none cannot be mistyped: the reason is that there are none. */
export function withoutServers(error: CommandError, configured: number, work: Work, isOff = false): CommandError {
  if (error.code !== 'SERVER_NOT_FOUND' || configured > 0) return error
  return { ...error, suggestion: whyNoServers(work, isOff) }
}
