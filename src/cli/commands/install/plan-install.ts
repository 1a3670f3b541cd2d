// Plans `toolcrib install`: the servers that move to our config, and the new text of the client's file.

import { isDeepStrictEqual } from 'node:util'
import type { SourceInput } from '../../../config/config.ts'
import type { Launch } from '../../../config/imports/importer.ts'
import { type ConfigProblem, pathText } from '../../../config/problem.ts'
import type { ServerConfig, ToolRule } from '../../../config/server-config.ts'
import { raise } from '../../../core/errors.ts'
import { type ClientFileToChange, openClientFile } from '../../../setup/client-file.ts'
import { type ConfigPlan, planConfig } from '../../../setup/config-plan.ts'
import { discoverClients } from '../../../setup/discover.ts'
import {
  type ClientDocument,
  type ClientEntry,
  OWN_NAME,
  ownEntries,
  replaceByGateway,
} from '../../../setup/files/write-client.ts'
import { checkOwn, type IsOurs, launchIn, ownershipIn } from '../../../setup/installed.ts'
import { launchOf } from '../../../setup/launch.ts'
import { requireGivenConfig } from '../../../setup/load-config.ts'
import {
  configOfClient,
  findOthers,
  NO_SERVERS,
  type OtherServer,
  settingsOf,
  usesCommonConfig,
} from '../../../setup/other-clients.ts'
import { backupsOf } from '../../../setup/plan-restore.ts'
import { boundToFolder, type StayingServer, unusableRemotes } from '../../../setup/staying-servers.ts'
import type { InstallFlags } from '../../config-changes/setup-commands.ts'
import { isConfirmed } from '../../output/ask.ts'
import type { Output } from '../../output/output.ts'
import { oneLine } from '../../output/text.ts'
import type { Work } from '../../output/work.ts'

export interface InstallPlan {
  /** The client and its scope as arguments of `toolcrib install` and `uninstall`. */
  readonly words: string
  /** The file of the client. */
  readonly target: ClientFileToChange
  /** The new text of that file. */
  readonly after: string
  /** The entries of that file that the gateway replaces. */
  readonly replaced: readonly ClientEntry[]
  /** The command line that starts the gateway. */
  readonly launch: Launch
  readonly found: FoundServers
  /** The servers that stay in the client, with the reasons. */
  readonly staying: readonly StayingServer[]
  readonly others: ChosenOthers
  /** The change of our config. */
  readonly plan: ConfigPlan
  /** The work with the config that `plan` changes. */
  readonly configWork: Work
}

interface FoundServers {
  /** All servers of the client's file. */
  readonly servers: readonly ServerConfig[]
  readonly rules: readonly ToolRule[]
  readonly problems: readonly ConfigProblem[]
}

/** Raises if the file of the client cannot be changed safely. */
export async function planInstall(work: Work, client: string, flags: InstallFlags): Promise<InstallPlan> {
  const { environment } = work
  const target = await openClientFile(work, client, flags, 'install')
  checkSection(target)
  const isOurs = await ownershipIn(target.file, environment.stateDir)
  const found = await readServers(work, flags, target)
  const others = await chooseOthers(work, flags, target, found.servers, isOurs)
  const configWork = others.config === undefined ? work : { ...work, flags: { ...work.flags, config: others.config } }
  const launch = await launchOf(configWork, { ...flags, sharedBy: flags.shared === true ? client : undefined })
  const { documents } = await backupsOf(target, environment)
  const words = `${client}${flags.project === true ? ' --project' : ''}`
  checkOwn(
    target,
    (entry) => isOurs(entry) || isNewSince(documents[0]) || isDeepStrictEqual(launchIn(entry), launch),
    `Rename that server in the file or remove it, then run \`toolcrib install ${words}\` again.`,
  )
  const { plan, staying } = await planMove(configWork, flags, found, others)
  // Without servers to copy no config is written, and the gateway does not start with a --config file that is missing.
  if (plan.after === '') await requireGivenConfig(environment, flags.config)
  const replaced = replacedBy(plan, target)
  const after = await replaceByGateway(target.writer, target.document, replaced, launch)
  if (after === undefined) return refuseEdit(target.file, launch)
  return { words, target, after, replaced, launch, found, staying, others, plan, configWork }
}

async function readServers(work: Work, flags: InstallFlags, target: ClientFileToChange): Promise<FoundServers> {
  const scope = flags.project === true ? 'project' : 'user'
  // Read separately: if two clients share a file, reading all clients counts it for only one of them.
  const clients = await discoverClients(work.environment, { scope, clients: [target.importer.name] })
  const own = clients.filter(({ path }) => path === target.file)
  return {
    servers: own.flatMap((one) => one.servers),
    rules: own.flatMap((one) => one.rules),
    problems: own.flatMap((one) => one.problems),
  }
}

/** Moves the enabled servers that work behind the gateway. The other servers stay in the file of the client. */
async function planMove(
  work: Work,
  flags: InstallFlags,
  { servers, rules }: FoundServers,
  { sources, newText }: ChosenOthers,
) {
  const scope = flags.project === true ? 'project' : 'user'
  const bound = scope === 'project' ? [] : boundToFolder(servers.filter(({ enabled }) => enabled))
  const planWithout = (staying: readonly StayingServer[]) =>
    planConfig(work, {
      servers: servers.filter(({ enabled, origin }) => enabled && !staying.some(({ path }) => path === origin.path)),
      rules,
      sources,
      scope,
      newText,
    })
  const plan = await planWithout(bound)
  const unusable = await unusableRemotes(work, servers, [...plan.added, ...plan.present])
  if (unusable.length === 0) return { plan, staying: bound }
  const staying = [...bound, ...unusable]
  return { plan: await planWithout(staying), staying }
}

/** Compares paths and not names, because two sections of a file can use the same name for different servers. */
function replacedBy({ added, present }: ConfigPlan, { document }: ClientFileToChange): readonly ClientEntry[] {
  const paths = new Set([...added, ...present].map(({ origin }) => origin.path))
  return document.entries.filter(({ name, path }) => name !== OWN_NAME && paths.has(pathText(path)))
}

/** True if the newest backup has no entry with our name: `install` has then added the entry after this backup. */
function isNewSince(newest: ClientDocument | undefined): boolean {
  return newest !== undefined && ownEntries(newest).length === 0
}

function checkSection({ file, document: { blocked } }: ClientFileToChange): void {
  if (blocked === undefined) return
  raise('CONFIG_UNWRITABLE', {
    file,
    reason: `'${pathText(blocked.path)}' should be an object of servers, but is ${blocked.found}`,
    todo: 'Change it to an object such as {}, or remove it.',
  })
}

function refuseEdit(file: string, { command, args }: Launch): never {
  return raise('CONFIG_UNWRITABLE', {
    file,
    reason: 'Toolcrib cannot edit it without damaging the rest of the file',
    todo: `Add a server '${OWN_NAME}' by hand that runs \`${[command, ...args].join(' ')}\`.`,
  })
}

interface ChosenOthers {
  /** The servers of other clients that this client does not have, and would gain. */
  readonly gains: readonly OtherServer[]
  /** Whether this client gets them. */
  readonly isGiven: boolean
  /** The config of this client alone. Undefined if it uses the same config as the other clients. */
  readonly config?: string
  /** Whether the client already uses this config, which `install` then keeps. */
  readonly hasConfig?: boolean
  /** The text of the config if it does not exist yet. */
  readonly newText?: string
  /** The other clients that a new config still reads. */
  readonly sources: readonly SourceInput[]
}

const NO_OTHERS: ChosenOthers = { gains: [], isGiven: false, sources: [] }

async function chooseOthers(
  work: Work,
  flags: InstallFlags,
  target: ClientFileToChange,
  servers: readonly ServerConfig[],
  isOurs: IsOurs,
): Promise<ChosenOthers> {
  if (flags.project === true) return NO_OTHERS
  const client = target.importer.name
  const found = await findOthers(work, { client, file: target.file, servers })
  const { gains, common } = found
  const sources = [...new Set(found.sources.map((one) => one.client))].map((type) => ({ type }))
  const [installed] = ownEntries(target.document)
    .filter(isOurs)
    .flatMap((entry) => launchIn(entry) ?? [])
  const ofClient = common === undefined ? undefined : configOfClient(common, client)
  const hasOwnConfig = ofClient !== undefined && installed?.args.includes(ofClient) === true
  const hasOthers = installed !== undefined && usesCommonConfig(installed) && flags.config === undefined
  if (hasOthers) return { gains: [], isGiven: true, sources }
  if (hasOwnConfig && flags.withOthers === true) {
    return refuseCommonConfig(ofClient, `${client} ${flags.shared === true ? '--shared' : '--with-others'}`, client)
  }
  if (flags.withOthers === true) return { gains, isGiven: true, sources }
  if (gains.length === 0 && !hasOwnConfig) {
    return { ...NO_OTHERS, ...(common === undefined && flags.config === undefined ? { newText: NO_SERVERS } : {}) }
  }
  const canAsk = gains.length > 0 && !hasOwnConfig && flags.yes !== true && flags.dryRun !== true
  const question = `${client} does not have these servers of other clients: ${listOf(gains)}. Give them to ${client} too?`
  if (canAsk && (await isConfirmed(work, {}, question))) return { gains, isGiven: true, sources }
  const withoutOthers: ChosenOthers = { gains, isGiven: false, sources: [] }
  if (common === undefined)
    return flags.config === undefined ? { ...withoutOthers, newText: NO_SERVERS } : withoutOthers
  const newText = await settingsOf(common)
  if (newText === undefined) return refuseCodeConfig(common, client)
  return { ...withoutOthers, config: configOfClient(common, client), hasConfig: hasOwnConfig, newText }
}

interface OthersState {
  /** With --yes, the config of this client is written before the user can read these lines. */
  readonly isWritten: boolean
  /** The warning about a config without servers has the advice. */
  readonly hasNoServers: boolean
}

export function othersLines(
  { gains, isGiven, config, hasConfig = false }: ChosenOthers,
  client: string,
  { isWritten, hasNoServers }: OthersState,
  output: Output,
): readonly string[] {
  if (gains.length === 0) return []
  const all = listOf(gains)
  if (isGiven) return output.wrap(`${client} also gets these servers of other clients: ${all}`)
  const verb = hasConfig ? 'has' : 'gets'
  const own = config === undefined ? '' : ` It ${verb} a config of its own, ${output.path(config)}.`
  const install = `\`toolcrib install ${client} --with-others\``
  const next =
    config !== undefined && (hasConfig || isWritten)
      ? ` To give it these servers, run \`toolcrib uninstall ${client}\`, then ${install}.`
      : ' Use --with-others to give it these servers.'
  const text = `${client} does not get these servers of other clients: ${all}.${own}${hasNoServers ? '' : next}`
  return output.wrap(output.keepConfig(text))
}

function listOf(gains: readonly OtherServer[]): string {
  return gains.map(({ server, client }) => `${oneLine(server)} (${client})`).join(', ')
}

/** The client cannot change to the common config, because its servers are only in its own config. */
function refuseCommonConfig(file: string, words: string, client: string): never {
  return raise('CONFIG_UNWRITABLE', {
    file,
    reason: `${client} uses this config of its own, and its servers are in it`,
    todo: `Run \`toolcrib uninstall ${client}\` first, then \`toolcrib install ${words}\`.`,
  })
}

/** The settings of the common config cannot be copied into a config for this client alone. */
function refuseCodeConfig(file: string, client: string): never {
  return raise('CONFIG_UNWRITABLE', {
    file,
    reason: `it has servers of other clients, and Toolcrib cannot copy the settings of a config in code into a config for ${client} alone`,
    todo: 'Use --with-others to give the client these servers too, or --config to name another config for it.',
  })
}
