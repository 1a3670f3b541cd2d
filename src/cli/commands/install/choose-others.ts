// Decides whether a client gets the servers of other clients: only if the user agrees.

import type { SourceInput } from '../../../config/config.ts'
import type { ServerConfig } from '../../../config/server-config.ts'
import { raise } from '../../../core/errors.ts'
import type { ClientFileToChange } from '../../../setup/client-file.ts'
import { ownEntries } from '../../../setup/files/write-client.ts'
import { type IsOurs, launchIn } from '../../../setup/installed.ts'
import {
  configOfClient,
  findOthers,
  NO_SERVERS,
  type OtherServer,
  settingsOf,
  usesCommonConfig,
} from '../../../setup/other-clients.ts'
import { isConfirmed } from '../../output/confirm.ts'
import type { InstallFlags } from '../../output/setup-flags.ts'
import { oneLine, shortPath, wrap } from '../../output/text.ts'
import type { Work } from '../../output/work.ts'

export interface ChosenOthers {
  /** The servers of other clients that this client does not have, and would gain. */
  readonly gains: readonly OtherServer[]
  /** Whether this client gets them. */
  readonly isGiven: boolean
  /** The config of this client alone. Undefined if it uses the same config as the other clients. */
  readonly config?: string
  /** The text of the config if it does not exist yet. */
  readonly newText?: string
  /** The other clients that a new config still reads. */
  readonly sources: readonly SourceInput[]
}

const NO_OTHERS: ChosenOthers = { gains: [], isGiven: false, sources: [] }

export async function chooseOthers(
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
  return { ...withoutOthers, config: configOfClient(common, client), newText }
}

export function othersLines(
  { gains, isGiven, config }: ChosenOthers,
  client: string,
  home: string,
  width: number,
): readonly string[] {
  if (gains.length === 0) return []
  const all = listOf(gains)
  if (isGiven) return wrap(`${client} also gets these servers of other clients: ${all}`, width)
  const own = config === undefined ? '' : ` It gets a config of its own, ${shortPath(config, home)}.`
  return wrap(
    `${client} does not get these servers of other clients: ${all}.${own} With --with-others it gets them.`,
    width,
  )
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
