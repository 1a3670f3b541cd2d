// Loads the configuration for `toolcrib serve`: applies the flags, adds example servers, and checks the tokens.

import type { LoadedConfig } from '../../config/load/load.ts'
import type { ServerConfig } from '../../config/server-config.ts'
import { quoteList } from '../../core/text.ts'
import { switchLine } from '../../disclosure/strategy-switches.ts'
import { httpUrl } from '../../front/address.ts'
import type { Door } from '../../front/doors.ts'
import { type Environment, readVariables } from '../../setup/environment.ts'
import { loadFor } from '../../setup/load-config.ts'
import { secretsFile } from '../../setup/secrets-file.ts'
import { logLine } from '../gateway/gateway-log.ts'
import { checkStrategy, chooseStrategy, withStrategy } from '../strategy/choose-strategy.ts'
import { addressOf, type ServeFlags } from './front-door.ts'

/** The state that each load reads and changes. */
export interface LoadState {
  /** Absent until the front door is open. */
  door?: Door
  /** The reason for a strategy from the environment at the last load, so that a reload does not log it again. */
  switched?: string
}

export async function loadServed(
  environment: Environment,
  flags: ServeFlags,
  state: LoadState,
  signal: AbortSignal,
): Promise<LoadedConfig> {
  const ownUrls = (http: LoadedConfig['config']['http']) => {
    const { host, port } = addressOf(http, flags)
    const names = http.allowedHosts.flatMap((name) => [`https://${name}`, `http://${name}`])
    return flags.http ? [state.door?.url ?? httpUrl(host, port), ...names] : []
  }
  const variables = readVariables(environment)
  const all = await loadFor({ ...environment, ...variables }, { config: flags.config, ownUrls }, signal)
  const read = flags.sharedKey === undefined ? all : { ...all, servers: servedToAll(all) }
  const loaded = { ...read, watched: [...read.watched, secretsFile(environment)] }
  const chosen = chooseStrategy(loaded, flags, variables.env)
  const { switched } = chosen
  if (switched !== undefined && switched.reason !== state.switched && flags.quiet !== true)
    logLine(switchLine(switched))
  state.switched = switched?.reason ?? ''
  // A wrong strategy fails the start. An edit of the strategy after the start takes effect only at the next start.
  if (state.door === undefined) checkStrategy(chosen)
  const served = withStrategy(loaded, chosen)
  return withTokenProblems(flags.demo ? await (await import('./demo.ts')).withDemo(served) : served, flags)
}

/** The servers of a shared gateway. The log names the servers that are left out. */
function servedToAll(loaded: LoadedConfig): LoadedConfig['servers'] {
  const { servers, note } = withoutFolderServers(loaded)
  if (note !== undefined) logLine(note)
  return servers
}

/**
 * Leaves out the servers that need the open folder of a client: the clients of a shared gateway have different folders.
 * The servers of a project file are kept, because their folder is known. `note` is for the log.
 */
export function withoutFolderServers({ servers, sources }: Pick<LoadedConfig, 'servers' | 'sources'>) {
  const ofUser = new Set(sources.filter(({ scope }) => scope === 'user').map(({ path }) => path))
  const isLeftOut = ({ folderVariables, origin }: ServerConfig) =>
    folderVariables !== undefined && ofUser.has(origin.file)
  const leftOut = servers.filter(isLeftOut).map(({ name }) => name)
  if (leftOut.length === 0) return { servers, note: undefined }
  const [need, them] = leftOut.length === 1 ? ['It needs', 'it'] : ['They need', 'them']
  return {
    servers: servers.filter((server) => !isLeftOut(server)),
    note: `not served by the shared gateway: ${quoteList(leftOut)}. ${need} the folder that a client has open; a gateway with --no-shared serves ${them}`,
  }
}

/** Over HTTP, a configuration with unusable tokens is invalid, unless --no-auth is given. */
async function withTokenProblems(loaded: LoadedConfig, flags: ServeFlags): Promise<LoadedConfig> {
  if (!flags.http || !flags.auth) return loaded
  const { namedTokens } = await import('../checks/named-tokens.ts')
  const { problems } = namedTokens(loaded)
  if (problems.length === 0) return loaded
  const found = problems.map((problem) => ({ ...problem, severity: 'error' as const }))
  return { ...loaded, problems: [...loaded.problems, ...found], isValid: false }
}
