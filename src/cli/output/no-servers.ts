// The messages for a configuration without servers.

import { join } from 'node:path'
import type { CommandError } from '../../core/result.ts'
import { oneLine, shortPath } from './text.ts'
import type { Work } from './work.ts'

export function howToAddServers(work: Pick<Work, 'environment' | 'flags'>): string {
  return `Run ${addingServers(work)}`
}

function addingServers({ environment, flags }: Pick<Work, 'environment' | 'flags'>): string {
  const { configDir, home } = environment
  const file = flags.config ?? shortPath(join(configDir, 'config.json'), home)
  return `\`toolcrib import\` to see the servers of your MCP clients, or add servers under discovery.servers in a config file such as ${oneLine(file)}.`
}

interface NoServersCause {
  /** Whether the configuration switches discovery off, so that its servers are not used. */
  readonly isOff?: boolean
  /** About files of the current folder that are not used. */
  readonly note?: string | undefined
}

export function whyNoServers(
  work: Pick<Work, 'environment' | 'flags'>,
  { isOff = false, note }: NoServersCause,
): string {
  if (isOff) return DISCOVERY_IS_OFF
  return note === undefined
    ? `No server is configured. ${howToAddServers(work)}`
    : `No server is in use. ${note} Or run ${addingServers(work)}`
}

/** A single line, because `serve` prints it on stderr too. */
export const DISCOVERY_IS_OFF =
  'Discovery is switched off: discovery.enabled is false. Set it to true to use the configured servers; `toolcrib config show` names the file.'

/** If no server is configured, SERVER_NOT_FOUND gets that reason instead of a spelling suggestion. */
export function withoutServers(
  error: CommandError,
  configured: number,
  work: Work,
  cause: NoServersCause,
): CommandError {
  if (error.code !== 'SERVER_NOT_FOUND' || configured > 0) return error
  return { ...error, suggestion: whyNoServers(work, cause) }
}
