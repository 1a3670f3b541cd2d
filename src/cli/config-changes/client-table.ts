// Lists the clients that can use the gateway, with their files and whether the gateway is installed.

import { configIn } from '../../config/self.ts'
import { defined } from '../../core/defined.ts'
import { quoteList } from '../../core/text.ts'
import { ClientFileError, openClientFile } from '../../setup/client-file.ts'
import { ownEntries } from '../../setup/files/write-client.ts'
import { launchIn, ownershipIn } from '../../setup/installed.ts'
import { clientNames, clientsWith } from '../../setup/known-clients.ts'
import { count, table } from '../output/text.ts'
import type { Work } from '../output/work.ts'

export interface ClientState {
  readonly client: string
  readonly file: string
  readonly state: 'missing' | 'unreadable' | 'found'
  readonly isInstalled: boolean
  /** The value of `--config` with which the client starts the gateway. Absent if the gateway finds its config. */
  readonly config?: string
  /** The position of the syntax error in a file that cannot be read, such as `line 1, column 3`. */
  readonly position?: string
  /** The number of servers besides the gateway. */
  readonly servers: number
}

interface ScopeFlags {
  /** The client's file in the current folder instead of the user's. */
  readonly project?: boolean
}

type SetupCommand = 'install' | 'uninstall'

/** Prints the answer of `install` and `uninstall` if the command line names no client. */
export async function showClients(work: Work, command: SetupCommand, flags: ScopeFlags): Promise<number> {
  const { output } = work
  const scope = scopeOf(flags)
  const clients = await clientStates(work, flags)
  const document = clients.map(({ isInstalled, config: _config, ...client }) => ({ ...client, installed: isInstalled }))
  output.show({ clients: document }, () => {
    if (output.isQuiet) return clientNames()
    const rows = clients.map((one) => [one.client, output.path(one.file), stateText(one)])
    const head = scope === 'user' ? 'Clients' : 'Clients that can have a file in this project'
    return [
      `${head} (${clients.filter(({ isInstalled }) => isInstalled).length} with the gateway):`,
      '',
      ...table(['client', 'file', 'state'], rows, output.width, '  '),
      '',
      ...output.wrap(output.keepConfig(nextText(clients, command, scope === 'project' ? ' --project' : ''))),
    ]
  })
  return 0
}

export async function clientStates(work: Work, flags: ScopeFlags): Promise<readonly ClientState[]> {
  const clients: ClientState[] = []
  for (const { name, file } of clientsWith(work.environment, scopeOf(flags))) {
    clients.push(await stateOf(work, name, file, flags))
  }
  return clients
}

function scopeOf({ project }: ScopeFlags): 'project' | 'user' {
  return project === true ? 'project' : 'user'
}

async function stateOf(work: Work, client: string, file: string, flags: ScopeFlags): Promise<ClientState> {
  try {
    const { file: opened, text, document } = await openClientFile(work, client, flags, 'install')
    const isOurs = await ownershipIn(opened, work.environment.stateDir)
    const own = ownEntries(document).filter(isOurs)
    const [config] = own.flatMap((entry) => configIn(launchIn(entry)?.args ?? []) ?? [])
    return {
      client,
      file: opened,
      state: text === '' ? 'missing' : 'found',
      isInstalled: own.length > 0,
      servers: document.entries.length - own.length,
      ...(config === undefined ? {} : { config }),
    }
  } catch (error) {
    // `install` with the name of this client shows the reason.
    const { file: faulty = file, position } = error instanceof ClientFileError ? error : {}
    return { client, file: faulty, state: 'unreadable', isInstalled: false, servers: 0, ...defined({ position }) }
  }
}

function stateText({ state, isInstalled, servers, position }: ClientState): string {
  if (state === 'unreadable') return unreadableText(position)
  if (isInstalled) return servers === 0 ? 'has the gateway' : `has the gateway and ${count(servers, 'server')}`
  return state === 'missing' ? 'no file' : count(servers, 'server')
}

/** For example `cannot be read (line 1, column 3)`. */
export function unreadableText(position: string | undefined): string {
  return position === undefined ? 'cannot be read' : `cannot be read (${position})`
}

function nextText(clients: readonly ClientState[], command: SetupCommand, option: string): string {
  const isInstall = command === 'install'
  const unreadable = clients.filter(({ state }) => state === 'unreadable')
  const candidates = clients.filter(({ isInstalled, state }) => state !== 'unreadable' && isInstalled !== isInstall)
  const clientWithMostServers = candidates
    .filter(({ state }) => state !== 'missing')
    .toSorted((one, other) => other.servers - one.servers)[0]
  if (clientWithMostServers !== undefined) {
    return `Next: \`toolcrib ${command} ${clientWithMostServers.client}${option} --dry-run\` shows what would change.`
  }
  // Such a file may have the gateway or not.
  if (unreadable.length > 0) {
    const [files, they] = unreadable.length === 1 ? ['file', 'it'] : ['files', 'they']
    const names = quoteList(unreadable.map(({ client }) => client))
    return `Next: correct the ${files} of ${names}, because ${they} cannot be read.`
  }
  if (candidates.length === 0) return isInstall ? 'Every client has the gateway.' : 'No client has the gateway.'
  if (candidates.length < clients.length && isInstall) return 'All clients with a file here have the gateway.'
  return `None of these clients has a file here. \`toolcrib ${command} CLIENT${option} --dry-run\` shows what would be written for one.`
}
