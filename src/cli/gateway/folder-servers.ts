// Leaves out servers that need the open folder of a client: the clients of a shared gateway have different folders.

import type { LoadedConfig } from '../../config/load/load.ts'
import type { ServerConfig } from '../../config/server-config.ts'
import { quoteList } from '../../core/text.ts'

interface FolderServers {
  readonly servers: readonly ServerConfig[]
  /** For the log. Undefined if no server was left out. */
  readonly note: string | undefined
}

/** The servers of a project file are kept, because their folder is known. */
export function withoutFolderServers({ servers, sources }: Pick<LoadedConfig, 'servers' | 'sources'>): FolderServers {
  const ofUser = new Set(sources.filter(({ scope }) => scope === 'user').map(({ path }) => path))
  const isLeftOut = ({ folderVariables, origin }: ServerConfig) =>
    folderVariables !== undefined && ofUser.has(origin.file)
  const leftOut = servers.filter(isLeftOut).map(({ name }) => name)
  if (leftOut.length === 0) return { servers, note: undefined }
  const who = leftOut.length === 1 ? 'It needs' : 'They need'
  return {
    servers: servers.filter((server) => !isLeftOut(server)),
    note: `not served by the shared gateway: ${quoteList(leftOut)}. ${who} the folder that a client has open`,
  }
}
