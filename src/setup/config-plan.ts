// Plans how servers are added to our own config, from clients or by `toolcrib add`. The plan is shown before the write.

import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { judgeFile } from '../config/approval.ts'
import type { SourceInput } from '../config/config.ts'
import { realFiles } from '../config/config-files.ts'
import { referencedNames } from '../config/connection-kinds.ts'
import { findConfig } from '../config/find-config.ts'
import type { LoadedConfig } from '../config/load/load.ts'
import { examineProject } from '../config/load/project-config.ts'
import type { ServerConfig, ToolRule } from '../config/server-config.ts'
import { renameRule } from '../config/tool-lists.ts'
import { raise } from '../core/errors.ts'
import { readVariable } from '../core/variables.ts'
import { addApproval, readApprovals } from './approvals.ts'
import { additionByHand, serversByHand, whyNotEdited } from './by-hand.ts'
import { discoverClients } from './discover.ts'
import type { Environment, SetupJob } from './environment.ts'
import { addToConfig, ruleEntry } from './files/write-config.ts'
import { readIfThere } from './files/write-file.ts'
import { type ExtractedSecret, extractSecrets } from './files/write-secrets.ts'
import { readInstallations } from './installed.ts'
import { firstErrorIn, loadFor } from './load-config.ts'
import { type NamedServers, nameServers } from './name-servers.ts'
import { secretsFile, secretsWritten } from './secrets-file.ts'

export interface ConfigPlan extends NamedServers {
  readonly file: string
  readonly before: string
  readonly after: string
  readonly isNew: boolean
  readonly secrets: readonly ExtractedSecret[]
  /** The sources that are added: clients with files that a config reads only if it lists them. */
  readonly sources: readonly SourceInput[]
  /** True for the config of the current folder, which is used only after an approval. */
  readonly isOfProject: boolean
}

/** The servers to add to our config, and their rules. */
export interface Takeover {
  /** With the names that their clients or the user give them. */
  readonly servers: readonly ServerConfig[]
  readonly rules: readonly ToolRule[]
  /** Used only for a new config: without them, clients that were read by default would no longer be read. */
  readonly sources: readonly SourceInput[]
  /** Used only for a config that exists: sources that it does not name yet. */
  readonly missingSources?: readonly SourceInput[]
  readonly scope: 'user' | 'project'
  /** The text of a new config. It is written even if there is nothing to add to it. */
  readonly newText?: string | undefined
  /** Whether the user names the server. If the file cannot be edited, the error then has the entry to write. */
  readonly isByName?: boolean
}

/** The part of a plan that is written. */
export type PlannedChange = Pick<ConfigPlan, 'file' | 'before' | 'after' | 'secrets' | 'isOfProject'>

export async function planConfig(job: SetupJob, takeover: Takeover): Promise<ConfigPlan> {
  const { servers, rules, sources, missingSources = [], scope, newText = '' } = takeover
  const { environment, flags, signal } = job
  const file = await ownConfig(job, scope)
  const text = await readIfThere(file)
  const isOfProject = scope === 'project' && flags.config === undefined
  if (text !== undefined && isOfProject) await checkApproved(job, file, text)
  const loaded = text === undefined ? undefined : await loadFor(environment, { ...flags, config: file }, signal)
  if (loaded?.isValid === false) raise('CONFIG_INVALID', { file, reason: firstErrorIn(loaded) })
  const current = loaded ?? (await servedWithoutConfig(job, servers, sources))
  const named = nameServers(servers, current, environment.env)
  const elsewhere = await serversOfOtherConfigs(job, file)
  const taken = await takenVariables(environment, [...servers, ...(loaded?.servers ?? []), ...elsewhere])
  const extracted = named.added.map((server) => extractSecrets(server, taken))
  const added = extracted.map(({ server }) => server)
  const newRules = rulesToAdd(rules, [...added, ...named.present], loaded)
  const addition = { servers: added, rules: newRules, sources: text === undefined ? sources : missingSources }
  const isChanged = added.length + newRules.length + addition.sources.length > 0
  const base = text ?? newText
  const after = isChanged ? await addToConfig(base, file, addition) : base
  if (after === undefined) {
    const todo = await (takeover.isByName === true
      ? serversByHand(file, base, added)
      : additionByHand(file, base, addition))
    return raise('CONFIG_UNWRITABLE', { file, reason: whyNotEdited(file), todo })
  }
  return {
    ...named,
    added,
    file,
    before: text ?? '',
    after,
    isNew: text === undefined,
    secrets: extracted.flatMap(({ secrets }) => secrets),
    sources: addition.sources,
    isOfProject,
  }
}

/**
 * The servers that are served without a config file and still served with the new one. They keep their names. A server
 * that is no longer served does not reserve its name.
 */
async function servedWithoutConfig(
  { environment, flags, signal }: SetupJob,
  servers: readonly ServerConfig[],
  sources: readonly SourceInput[],
): Promise<Pick<LoadedConfig, 'servers'> | undefined> {
  const loaded = await loadFor(environment, { ...flags, config: undefined }, signal)
  if (loaded.origin.kind !== 'defaults') return undefined
  const isStillServed = ({ origin }: ServerConfig) =>
    origin.source === 'project' ||
    sources.some(({ type }) => type === origin.source) ||
    servers.some((one) => one.origin.file === origin.file && one.origin.path === origin.path)
  return { servers: loaded.servers.filter(isStillServed) }
}

/** All configs of this user share a secrets file, so a new secret must not get a name that another config refers to. */
async function serversOfOtherConfigs(
  { environment, signal }: SetupJob,
  file: string,
): Promise<readonly ServerConfig[]> {
  const { origin } = await findConfig(environment)
  const installed = (await readInstallations(environment.stateDir)).flatMap(({ config }) => config ?? [])
  const files = new Set([...installed, ...(origin.kind === 'defaults' ? [] : [origin.file])])
  files.delete(file)
  const loaded = await Promise.all([...files].map((config) => loadFor(environment, { config }, signal)))
  return loaded.flatMap(({ servers }) => servers)
}

/**
 * The variables that are already in use: a new secret must not get one of these names. Maps each name to its value if
 * it is known. A variable that a server refers to is taken even if it is not set.
 */
export async function takenVariables(
  environment: Environment,
  servers: readonly ServerConfig[],
): Promise<Map<string, string | undefined>> {
  // Servers of any client may be served beside ours, now or later.
  const clients = await discoverClients(environment)
  const all = [...servers, ...clients.flatMap((client) => client.servers)]
  const stored = secretsWritten(secretsFile(environment))
  // If two values exist, it is unknown which one a gateway will use.
  const withTwoValues = Object.keys(stored).filter(
    (name) => (readVariable(environment.env, name, environment.platform) ?? stored[name]) !== stored[name],
  )
  const referenced = all.flatMap(({ connection }) => referencedNames(connection))
  const taken: readonly (readonly [string, string | undefined])[] = [
    ...referenced.map((name) => [name, undefined] as const),
    ...Object.entries({ ...stored, ...environment.env }),
    ...withTwoValues.map((name) => [name, undefined] as const),
  ]
  // Names for secrets are chosen in capitals, and on Windows `Api_Key` is the same variable as `API_KEY`.
  const inCapitals = taken.map(([name, value]) => [name.toUpperCase(), value] as const)
  return new Map(environment.platform === 'win32' ? [...taken, ...inCapitals] : taken)
}

/**
 * The rules for disabled tools of these servers, by their names in our config. Rules that the config has are left out.
 */
function rulesToAdd(
  rules: readonly ToolRule[],
  servers: readonly ServerConfig[],
  loaded: LoadedConfig | undefined,
): readonly ToolRule[] {
  const existing = (loaded?.rules ?? [])
    .filter(({ origin }) => origin === undefined || origin.source === 'config')
    .map(ruleEntry)
  const added: ToolRule[] = []
  for (const rule of rules) {
    const server = servers.find(({ origin }) => origin.file === rule.origin?.file && origin.path === rule.origin.path)
    if (server === undefined) continue
    const wanted = renameRule(rule, server.name, false)
    const isPresent = [...existing, ...added.map(ruleEntry)].some((one) => isDeepStrictEqual(one, ruleEntry(wanted)))
    if (!isPresent) added.push(wanted)
  }
  return added
}

/** The config to change: the file given with --config, the existing file of this scope, or a new one. */
export async function ownConfig(
  { environment, flags }: Pick<SetupJob, 'environment' | 'flags'>,
  scope: Takeover['scope'],
): Promise<string> {
  const { cwd, configDir } = environment
  const { origin, project } = await findConfig({ ...environment, explicit: flags.config })
  if (origin.kind === 'explicit') return origin.file
  if (scope === 'project') return project ?? join(cwd, '.toolcrib', 'config.json')
  return origin.kind === 'user' ? origin.file : join(configDir, 'config.json')
}

/** Writing a project's file approves it, so the current text must be approved before. */
export async function checkApproved({ environment }: SetupJob, file: string, text: string): Promise<void> {
  const approved = await readApprovals(environment.stateDir)
  const examined = await examineProject(file, { ...environment, files: realFiles, approved })
  if (examined.text === text && judgeFile(examined, approved).state === 'approved') return
  raise('NOT_APPROVED', {
    file,
    reason: 'it comes with the project and its current text is not approved',
    todo: 'Run `toolcrib trust` to see what it would run and to approve it, then run this command again.',
  })
}

/** Approves a project's file after it was written, if its text is what the user has seen. */
export async function approveWritten(
  { environment }: SetupJob,
  { file, after }: Pick<ConfigPlan, 'file' | 'after'>,
): Promise<void> {
  const examined = await examineProject(file, { ...environment, files: realFiles, approved: [] })
  const { refusal, text } = examined
  if (text === after && refusal === undefined) await addApproval(environment.stateDir, examined)
}
