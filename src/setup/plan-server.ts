// Plans the change of our own config for one server that the user names: adds, removes, enables or disables it.

import type { SourceInput } from '../config/config.ts'
import type { LoadedConfig } from '../config/load/load.ts'
import type { ServerConfig } from '../config/server-config.ts'
import { raise } from '../core/errors.ts'
import { findSimilarTools } from '../core/similarity.ts'
import { shellWord } from '../core/text.ts'
import { editByHand, whyNotEdited } from './by-hand.ts'
import {
  type ConfigPlan,
  checkApproved,
  ownConfig,
  type PlannedChange,
  planConfig,
  type Takeover,
} from './config-plan.ts'
import { discoverClients } from './discover.ts'
import type { Environment, SetupJob } from './environment.ts'
import { editServer, hasServer, type ServerEdit } from './files/write-config.ts'
import { readIfThere } from './files/write-file.ts'
import { loadFor, requireGivenConfig } from './load-config.ts'

/** Raises if the name is taken. */
export async function planAddition(job: SetupJob, server: ServerConfig, scope: Takeover['scope']): Promise<ConfigPlan> {
  const { name } = server
  const file = await ownConfig(job, scope)
  await checkFree(job, file, name)
  const plan = await planConfig(job, {
    servers: [server],
    rules: [],
    sources: scope === 'user' ? await sourcesInUse(job.environment) : [],
    scope,
    isByName: true,
  })
  if (plan.added.length > 0) return plan
  const [same] = plan.present
  if (same === undefined) {
    const reason = 'a config cannot contain a server with this name'
    return raise('CONFIG_UNWRITABLE', { file, reason, todo: 'Choose another name.' })
  }
  const reason = `it already has this server, as '${same.name}'`
  return raise('CONFIG_UNWRITABLE', { file, reason, todo: `Use that one: \`toolcrib tools ${shellWord(same.name)}\`.` })
}

export interface ServerChange extends PlannedChange {
  /** The client that the copied server comes from. The file of the client is not changed. */
  readonly copiedFrom?: string
}

/** Raises if there is no server with this name, or if the file that contains it cannot be edited. */
export async function planEdit(job: SetupJob, name: string, edit: ServerEdit): Promise<ServerChange> {
  const { environment, flags, signal } = job
  await requireGivenConfig(environment, flags.config)
  const file = await ownConfig(job, 'user')
  const before = await readIfThere(file)
  if (before !== undefined) {
    const edited = await editServer(before, file, name, edit)
    // A config with errors can still be edited: the entry with the error may be the one to remove.
    if (edited.kind === 'edited') return { file, before, after: edited.text, secrets: [], isOfProject: false }
  }
  const loaded = await loadFor(environment, flags, signal)
  const server = loaded.servers.find((one) => one.name === name)
  if (server === undefined) return unknownServer(name, loaded)
  const { origin } = server
  if (origin.source === 'config') return refuseEdit(origin, name, edit)
  if (origin.source === 'project') return editProject(job, server, edit)
  return overrideClient(job, server, edit, loaded)
}

function unknownServer(name: string, { servers }: Pick<LoadedConfig, 'servers'>): never {
  const names = servers.map((one) => one.name)
  return raise('SERVER_NOT_FOUND', { server: name, similar: findSimilarTools(name, names), list: '`toolcrib list`' })
}

async function checkFree({ environment, flags, signal }: SetupJob, file: string, name: string): Promise<void> {
  const text = await readIfThere(file)
  // Checks the text too, because a config that disables discovery serves no server.
  const isWritten = text !== undefined && (await hasServer(text, file, name)) === true
  const loaded = await loadFor(environment, flags, signal)
  const served = loaded.servers.find((one) => one.name === name)
  if (!isWritten && served === undefined) return
  const isOwn = isWritten || served?.origin.file === file
  raise('CONFIG_UNWRITABLE', {
    file,
    reason: isOwn
      ? `it already has a server named '${name}'`
      : `a server named '${name}' is already served, from ${served?.origin.file}`,
    todo: `${isOwn ? `Run \`toolcrib remove ${shellWord(name)}\` first, or choose` : 'Choose'} another name.`,
  })
}

/** The clients that are read without a config. A new config must list them, or their servers are no longer served. */
async function sourcesInUse(environment: Environment): Promise<readonly SourceInput[]> {
  const found = await discoverClients(environment)
  const used = found.filter(
    ({ servers, isApproved, state }) => servers.length > 0 && isApproved && state !== 'repeated',
  )
  const sources = used.map(
    ({ client, scope }): SourceInput => (scope === 'project' ? { type: client, scope } : { type: client }),
  )
  return [...new Map(sources.map((one) => [JSON.stringify(one), one])).values()]
}

async function editProject(
  job: SetupJob,
  { origin, name: served, writtenName: name = served }: ServerConfig,
  edit: ServerEdit,
): Promise<ServerChange> {
  const { file } = origin
  const before = (await readIfThere(file)) ?? ''
  await checkApproved(job, file, before)
  const edited = await editServer(before, file, name, edit)
  if (edited.kind !== 'edited') return refuseEdit(origin, name, edit)
  return { file, before, after: edited.text, secrets: [], isOfProject: true }
}

/** Does not change the file of a client. A copy of the entry in our config takes precedence over the client's. */
async function overrideClient(
  job: SetupJob,
  server: ServerConfig,
  edit: ServerEdit,
  loaded: LoadedConfig,
): Promise<ServerChange> {
  const { name, writtenName = name, origin } = server
  const reason = `server '${name}' comes from this file of ${origin.source}, which toolcrib does not change`
  // If the current folder is the home folder, one client file can belong to both the user and the project. It is then
  // read once, as a file of the user.
  const isOfProject = loaded.sources.some(
    ({ path, scope, state }) => path === origin.file && scope === 'project' && state !== 'repeated',
  )
  if (edit === 'remove') {
    const todo = removeByHand(server, isOfProject)
    return raise('CONFIG_UNWRITABLE', { file: origin.file, reason, todo })
  }
  const isWanted = edit === 'enable'
  // Equal texts mean that there is nothing to write.
  if (server.enabled === isWanted) {
    return { file: origin.file, before: '', after: '', secrets: [], isOfProject: false }
  }
  if (isOfProject) {
    const todo = `${isWanted ? 'Enable' : 'Disable'} it there, then run \`toolcrib trust\` to approve the new text.`
    return raise('CONFIG_UNWRITABLE', { file: origin.file, reason, todo })
  }
  const plan = await planConfig(job, {
    servers: [{ ...server, name: writtenName, enabled: isWanted }],
    rules: [],
    sources: await sourcesInUse(job.environment),
    scope: 'user',
    isByName: true,
  })
  return { ...plan, copiedFrom: origin.source }
}

function removeByHand({ name, enabled }: ServerConfig, isOfProject: boolean): string {
  if (isOfProject) return 'Remove it there, then run `toolcrib trust` to approve the new text.'
  return enabled
    ? `Remove it there, or run \`toolcrib disable ${shellWord(name)}\` to stop serving it.`
    : 'Remove it there.'
}

function refuseEdit({ file, path }: ServerConfig['origin'], name: string, edit: ServerEdit): never {
  return raise('CONFIG_UNWRITABLE', { file, reason: whyNotEdited(file), todo: editByHand(file, name, edit, path) })
}
