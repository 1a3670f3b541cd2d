// The messages for a configuration without servers.

import type { CommandError } from '../../core/result.ts'

/** Names no file: `add` writes to the config in force, which depends on the folder and the flags. */
const ADDING_SERVERS =
  '`toolcrib import` to see the servers of your MCP clients, or `toolcrib add` to add a server to the config.'

export const HOW_TO_ADD_SERVERS = `Run ${ADDING_SERVERS}`

interface NoServersCause {
  /** Whether the configuration switches discovery off, so that its servers are not used. */
  readonly isDiscoveryOff?: boolean
  /** The note about files of the current folder that are not used. */
  readonly note?: string | undefined
}

export function whyNoServers({ isDiscoveryOff = false, note }: NoServersCause): string {
  if (isDiscoveryOff) return DISCOVERY_IS_OFF
  return note === undefined
    ? `No server is configured. ${HOW_TO_ADD_SERVERS}`
    : `No server is in use. ${note} Or run ${ADDING_SERVERS}`
}

/** A single line, because `serve` prints it on stderr too. */
export const DISCOVERY_IS_OFF =
  'Discovery is switched off: discovery.enabled is false. Set it to true to use the configured servers; `toolcrib config show` names the file.'

/** If no server is configured, replaces the spelling suggestion of SERVER_NOT_FOUND by that reason. */
export function withNoServersReason(error: CommandError, configured: number, cause: NoServersCause): CommandError {
  if (error.code !== 'SERVER_NOT_FOUND' || configured > 0) return error
  return { ...error, suggestion: whyNoServers(cause) }
}
