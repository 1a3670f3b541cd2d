// Merges servers from several files. Different servers with the same name are both served, under different names.

import { isDeepStrictEqual } from 'node:util'
import { shellWord } from '../core/text.ts'
import { mapTexts } from './connection-kinds.ts'
import { type ConfigProblem, problemAtOrigin } from './problem.ts'
import { resolveText, type Variables } from './references.ts'
import type { Connection, Origin, ServerConfig, ToolRule } from './server-config.ts'
import type { ImportResult } from './server-entry.ts'
import { renameRule } from './tool-lists.ts'

export type ServerGroup = Omit<ImportResult, 'problems'>

/**
 * `groups` are in order of precedence: the first server keeps its name, and other servers with the same name are named
 * after their client. A server that several files contain is served once. `variables` resolve references.
 */
export function mergeServers(groups: readonly ServerGroup[], variables: Variables = {}): ImportResult {
  const refused = new Set<string>()
  const all = groups.flatMap((group) => {
    for (const name of group.refused ?? []) refused.add(name)
    return group.servers.filter(({ name }) => !refused.has(name))
  })
  const taken = new Set(all.map(({ name }) => name.toLowerCase()))
  const byWrittenName = new Map<string, ServerConfig[]>()
  const problems: ConfigProblem[] = []
  /** The name under which an entry is served, by the location of the entry. Entries that are not served are absent. */
  const servedNames = new Map<string, string>()
  const served: ServerConfig[] = []
  const switchedOff = findSwitchedOff(all, variables)
  for (const server of all) {
    const off = switchedOff.get(server)
    if (off !== undefined) {
      problems.push(switchedOffProblem(server, off))
      continue
    }
    const others = byWrittenName.get(server.name) ?? []
    // `toolcrib install` may have written the server of another client into our config as `github-cursor`.
    const takenOver = served.filter((one) => isOurOwn(one) && one.name.startsWith(`${server.name}-`))
    const duplicate = findDuplicate(server, [...others, ...takenOver], variables)
    if (duplicate !== undefined) {
      problems.push(duplicate.problem)
      // The client's list of disabled tools also applies if the entry of another file starts the server.
      if (duplicate.servedAs !== undefined) servedNames.set(keyOf(server.origin), duplicate.servedAs)
      continue
    }
    const named = others.length === 0 ? server : rename(server, taken)
    taken.add(named.name.toLowerCase())
    servedNames.set(keyOf(server.origin), named.name)
    byWrittenName.set(server.name, [...others, named])
    served.push(named)
    if (named !== server) problems.push(renamedProblem(named, others[0]))
  }
  return { servers: served, rules: rulesFor(groups, servedNames, served), problems }
}

/** Returns `github-cursor`, or else `github-cursor-2` and so on. */
export function freeServerName(name: string, source: string, isFree: (candidate: string) => boolean): string {
  const wanted = `${name}-${source}`
  let candidate = wanted
  for (let count = 2; !isFree(candidate); count++) candidate = `${wanted}-${count}`
  return candidate
}

function rename(server: ServerConfig, taken: ReadonlySet<string>): ServerConfig {
  const { name, origin } = server
  const free = freeServerName(name, origin.source, (candidate) => !taken.has(candidate.toLowerCase()))
  return { ...server, name: free, writtenName: name }
}

interface Duplicate {
  readonly problem: ConfigProblem
  /** The name under which the same server is served. Undefined for another server with this name in the same file. */
  readonly servedAs?: string
}

/** Compares the server with `others`, the earlier servers that may be the same. Undefined if it is not a duplicate. */
function findDuplicate(
  server: ServerConfig,
  others: readonly ServerConfig[],
  variables: Variables,
): Duplicate | undefined {
  const isInThisFile = ({ name, writtenName = name, origin }: ServerConfig) =>
    origin.file === server.origin.file && writtenName === server.name
  const inThisFile = others.find(isInThisFile)
  const same = others.find(
    (other) => (!isOurOwn(server) || isInThisFile(other)) && isSameServer(other, server, variables),
  )
  if (same !== undefined) {
    // Clients often repeat servers of other clients. The same server twice in our own config is a mistake.
    const isMistake = isOurOwn(server) && inThisFile !== undefined
    return { servedAs: same.name, problem: duplicateProblem(server, same, isMistake ? 'warning' : 'info') }
  }
  // In one file the first entry is used. For Claude Code this is the entry of the project, which Claude Code also prefers.
  return inThisFile && { problem: duplicateProblem(server, inThisFile, 'warning') }
}

/**
 * Finds the servers of clients that are disabled by an outdated copy in our config, each with its copy.
 * `toolcrib disable` copies the client's entry into our config with `enabled: false`. If the client's entry changes
 * later, no entry is equal to the copy. Without this function, the changed server would be served again, as
 * `github-cursor`.
 */
function findSwitchedOff(all: readonly ServerConfig[], variables: Variables): ReadonlyMap<ServerConfig, ServerConfig> {
  const ofClients = all.filter(({ origin }) => origin.source !== 'config' && origin.source !== 'project')
  const outdated = all.filter(
    (own) =>
      isOurOwn(own) &&
      !own.enabled &&
      !ofClients.some((one) => isNamedAfter(own, one) && isSameServer(own, one, variables)),
  )
  return new Map(
    ofClients.flatMap((server) => {
      const off = outdated.find((own) => isNamedAfter(own, server))
      return off === undefined || !server.enabled ? [] : [[server, off] as const]
    }),
  )
}

/** Whether our entry has the name that the server has in its file, or a name that `mergeServers` would give it. */
function isNamedAfter({ name }: ServerConfig, { name: written, origin }: ServerConfig): boolean {
  const otherName = `${written}-${origin.source}`
  return name === written || name === otherName || name.startsWith(`${otherName}-`)
}

function isOurOwn({ origin }: ServerConfig): boolean {
  return origin.source === 'config'
}

function rulesFor(
  groups: readonly ServerGroup[],
  servedNames: ReadonlyMap<string, string>,
  served: readonly ServerConfig[],
): readonly ToolRule[] {
  const spellings = new Map<string, number>()
  for (const { name } of served) spellings.set(name.toLowerCase(), (spellings.get(name.toLowerCase()) ?? 0) + 1)
  return groups
    .flatMap((group) => group.rules)
    .flatMap((rule) => {
      const name = rule.origin === undefined ? undefined : servedNames.get(keyOf(rule.origin))
      if (name === undefined) return []
      // If two names differ only in case, a glob would match both servers, because it ignores case.
      return [renameRule(rule, name, (spellings.get(name.toLowerCase()) ?? 0) > 1)]
    })
}

function keyOf({ file, path }: Origin): string {
  return JSON.stringify([file, path])
}

function renamedProblem(server: ServerConfig, first: ServerConfig | undefined): ConfigProblem {
  const { name, writtenName = name, enabled } = server
  const where = first === undefined ? '' : ` in ${locationText(first.origin)}`
  return problemAtOrigin(server.origin, {
    // A disabled server cannot be confused with another.
    severity: enabled ? 'warning' : 'info',
    expected: 'a name that no other server has',
    found: `another '${writtenName}'`,
    message: `'${writtenName}' is a different server from '${first?.name ?? writtenName}'${where}, so ${enabled ? 'it is served as' : 'its name here is'} '${name}'`,
    ...(enabled ? { isAboutServing: true } : {}),
  })
}

function switchedOffProblem(server: ServerConfig, off: ServerConfig): ConfigProblem {
  return problemAtOrigin(server.origin, {
    severity: 'warning',
    expected: 'a server that is not disabled',
    found: `'${server.name}', which is disabled`,
    message: `'${server.name}' is not served: '${off.name}' in ${locationText(off.origin)} disables it, although the two entries differ. To serve this entry, run \`toolcrib remove ${shellWord(off.name)}\``,
    isAboutServing: true,
  })
}

function duplicateProblem(server: ServerConfig, first: ServerConfig, severity: 'info' | 'warning'): ConfigProblem {
  return problemAtOrigin(server.origin, {
    severity,
    expected: 'a name that no other server has',
    found: `a second '${server.name}'`,
    message: `'${server.name}' is already defined in ${locationText(first.origin)}; this entry is not used`,
    ...(severity === 'warning' ? { isAboutServing: true } : {}),
  })
}

function locationText({ file, path }: Origin): string {
  return path === undefined ? file : `${file} ${path}`
}

/**
 * Compares the connections without `inheritEnv` and `allowEnv`: a client cannot write these, and the entry of our
 * config replaces the client's. A reference equals a literal only if it resolves to exactly that text.
 */
export function isSameServer(
  { connection: one }: Pick<ServerConfig, 'connection'>,
  { connection: other }: Pick<ServerConfig, 'connection'>,
  variables: Variables,
): boolean {
  return isDeepStrictEqual(comparable(one, variables), comparable(other, variables))
}

/** The prefixes `=` and `?` distinguish resolved texts from texts with a reference that cannot be resolved. */
function comparable(connection: Connection, variables: Variables): unknown {
  const mapped = mapTexts(connection, (text) => {
    const resolved = resolveText(text, variables)
    return resolved.ok ? `=${resolved.text}` : `?${text}`
  })
  return { ...mapped, inheritEnv: undefined, allowEnv: undefined }
}
