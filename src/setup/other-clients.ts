// Finds the servers of other clients that a client would get with the gateway, and makes a config without them.

import { basename, dirname, extname, join } from 'node:path'
import { realFiles } from '../config/config-files.ts'
import { formatOf, parseDocument } from '../config/document.ts'
import { findConfig } from '../config/find-config.ts'
import type { Launch } from '../config/imports/importer.ts'
import { isSameServer } from '../config/merge-servers.ts'
import type { ServerConfig } from '../config/server-config.ts'
import { isRecord } from '../core/is-record.ts'
import { discoverClients, type FoundClient } from './discover.ts'
import type { Environment, SetupJob } from './environment.ts'
import { readIfThere } from './files/write-file.ts'
import { readInstallations } from './installed.ts'
import { loadFor } from './load-config.ts'

export interface OtherServer {
  readonly server: string
  /** The client that has the server. */
  readonly client: string
}

interface OtherClients {
  /** The servers that the client would get. */
  readonly gains: readonly OtherServer[]
  /** The other clients with servers in their own files. Without a config the gateway reads these files. */
  readonly sources: readonly FoundClient[]
  /** The config that all clients use. Undefined if there is none, or if `--config` names an existing file. */
  readonly common: string | undefined
}

interface Target {
  readonly client: string
  /** The client's file. */
  readonly file: string
  readonly servers: readonly ServerConfig[]
}

export async function findOthers(job: SetupJob, target: Target): Promise<OtherClients> {
  const { environment, flags, signal } = job
  const found = await discoverClients(environment, { scope: 'user' })
  const sources = found.filter(
    ({ client, servers, state }) => client !== target.client && state !== 'repeated' && servers.length > 0,
  )
  const { origin } = await findConfig({ ...environment, explicit: flags.config })
  const isThere = origin.kind !== 'defaults' && (await realFiles.isFile(origin.file))
  // The user has chosen this config for the client.
  if (origin.kind === 'explicit' && isThere) return { gains: [], sources, common: undefined }
  const common = isThere ? origin.file : undefined
  const served =
    common === undefined
      ? sources.flatMap(({ servers }) => servers)
      : (await loadFor(environment, { config: common }, signal)).servers
  const clientOf = common === undefined ? undefined : await ownersIn(common, environment, target)
  const gains = served.flatMap((server) => {
    const client = clientOf === undefined ? server.origin.source : clientOf(server)
    const isGained = server.enabled && client !== undefined && client !== target.client
    const isKnown = target.servers.some((one) => isSameServer(one, server, environment.env))
    return isGained && !isKnown ? [{ server: server.name, client }] : []
  })
  return { gains, sources, common }
}

/**
 * Returns a function that finds the client from which a server of the config comes. Undefined for a server of a project
 * and for a server that the user has added to the config.
 */
async function ownersIn(
  config: string,
  { stateDir }: Environment,
  { file }: Target,
): Promise<(server: ServerConfig) => string | undefined> {
  const others = (await readInstallations(stateDir)).filter((one) => one.config === config && one.file !== file)
  return ({ name, origin }) => {
    if (origin.source === 'project') return undefined
    if (origin.source !== 'config') return origin.source
    return others.find(({ servers = [] }) => servers.includes(name))?.client
  }
}

/** True if the entry has no `--config`, so its gateway uses the common config and has the servers of all clients. */
export function usesCommonConfig({ args }: Launch): boolean {
  return !args.some((word) => word === '--config' || word.startsWith('--config='))
}

/** The config of one client, beside the common one: the gateway in that client serves only what this file contains. */
export function configOfClient(common: string, client: string): string {
  return join(dirname(common), `${basename(common, extname(common))}.${client}.json`)
}

/** A config without servers. Without a file, the gateway would serve the servers of all clients. */
export const NO_SERVERS = `${JSON.stringify({ discovery: { servers: {} } }, null, 2)}\n`

/** The settings and rules of the common config, without its servers and sources. Undefined for a config in code. */
export async function settingsOf(common: string): Promise<string | undefined> {
  const format = formatOf(common)
  const text = await readIfThere(common)
  if (format === undefined || text === undefined) return undefined
  const parsed = await parseDocument(text, format, common)
  if (!parsed.ok || !isRecord(parsed.value)) return undefined
  const { discovery, ...settings } = parsed.value
  const { servers: _servers, sources: _sources, ...rest } = isRecord(discovery) ? discovery : {}
  return `${JSON.stringify({ ...settings, discovery: { ...rest, servers: {} } }, null, 2)}\n`
}
