// Runs `toolcrib install`: copies the client's servers into our own config, then replaces them by the gateway.

import { isDeepStrictEqual } from 'node:util'
import type { Launch } from '../../../config/imports/client-writer.ts'
import { type ConfigProblem, pathText } from '../../../config/problem.ts'
import type { ServerConfig, ToolRule } from '../../../config/server-config.ts'
import { raise } from '../../../core/errors.ts'
import { isRecord } from '../../../core/is-record.ts'
import { type ClientFileToChange, openClientFile } from '../../../setup/client-file.ts'
import { approveWritten, type ConfigPlan, planConfig } from '../../../setup/config-plan.ts'
import { discoverClients } from '../../../setup/discover.ts'
import {
  type ClientDocument,
  type ClientEntry,
  OWN_NAME,
  ownEntries,
  replaceByGateway,
} from '../../../setup/files/write-client.ts'
import { checkReplaceable, replaceFile } from '../../../setup/files/write-file.ts'
import { extractSecrets } from '../../../setup/files/write-secrets.ts'
import { rememberInstalled } from '../../../setup/installed.ts'
import { launchOf } from '../../../setup/launch.ts'
import { requireGivenConfig } from '../../../setup/load-config.ts'
import { checkOwn, launchIn, ownershipIn } from '../../../setup/own-entry.ts'
import { backupsOf } from '../../../setup/replaced-entries.ts'
import { boundToFolder, type StayingServer, unusableRemotes } from '../../../setup/staying-servers.ts'
import { filesOf, writePlan } from '../../../setup/write-plan.ts'
import { neededLines, neededVariables } from '../../gateway/needed-variables.ts'
import { confirm, DECLINED } from '../../output/confirm.ts'
import { renamedIn } from '../../output/not-taken.ts'
import { changeLines, type FileChange, planNotes, problemLines, writtenLines } from '../../output/plan-lines.ts'
import type { InstallFlags } from '../../output/setup-flags.ts'
import { count, oneLine, wrap } from '../../output/text.ts'
import type { Work } from '../../output/work.ts'
import { type ChosenOthers, chooseOthers, othersLines } from './choose-others.ts'

export async function installClient(work: Work, client: string, given: InstallFlags): Promise<number> {
  if (given.shared === true && given.command !== undefined) {
    const reason = '--command takes the whole command line; add --shared to that line instead'
    raise('INVALID_ARGUMENTS', { reason, command: 'toolcrib install' })
  }
  // One gateway serves the same servers to all its clients.
  const flags = given.shared === true ? { ...given, withOthers: true } : given
  const { output, environment } = work
  const { home } = environment
  const target = await openClientFile(work, client, flags, 'install')
  checkSection(target)
  const isOurs = await ownershipIn(target.file, environment.stateDir)
  const found = await readServers(work, flags, target)
  const others = await chooseOthers(work, flags, target, found.servers, isOurs)
  const job = others.config === undefined ? work : { ...work, flags: { ...work.flags, config: others.config } }
  const launch = await launchOf(job, { ...flags, sharedBy: flags.shared === true ? client : undefined })
  const { documents } = await backupsOf(target, environment)
  const words = `${client}${flags.project === true ? ' --project' : ''}`
  checkOwn(
    target,
    (entry) => isOurs(entry) || isNewSince(documents[0]) || isDeepStrictEqual(launchIn(entry), launch),
    `Rename that server in the file or remove it, then run \`toolcrib install ${words}\` again.`,
  )
  const { plan, staying } = await planTakeover(job, flags, found, others)
  const { servers, problems } = found
  // Without servers to copy no config is written, and the gateway does not start with a --config file that is missing.
  if (plan.after === '') await requireGivenConfig(environment, flags.config)
  const remove = replacedBy(plan, target)
  const after = await replaceByGateway(target.writer, target.document, remove, launch)
  if (after === undefined) return cannotEdit(target.file, launch)

  const values = secretValues(servers).concat(plan.secrets.map(({ value }) => value))
  const needed = neededVariables(replacedServers(plan, servers), environment)
  const change = { file: target.file, before: target.text, after }
  const isSame = after === target.text && plan.after === plan.before
  output.print(
    ...(await changeLines(plan, home, output, values)),
    ...(await changeLines(change, home, output, values)),
    ...planNotes(plan, output.width),
    ...othersLines(others, client, home, output.width),
    ...leftLines(target, servers, output.width),
    ...stayingLines(staying, words, output.width),
    ...pathLines(flags, output.width),
    ...problemLines(problems, output.width),
    ...neededLines(needed, environment, output),
    ...(needed.length === 0 ? [] : ['']),
  )
  const document = {
    client,
    file: target.file,
    command: [launch.command, ...launch.args],
    replaces: [...new Set(remove.map(({ name }) => name))],
    config: plan.file,
    added: plan.added.map(({ name }) => name),
    renamed: renamedIn([...plan.added, ...plan.present]),
    references: plan.secrets.map(({ name, server }) => ({ name, server })),
    sources: plan.sources.map(({ type }) => type),
    variables: needed,
    stays: staying.map(({ name, reason, command }) => ({ server: name, reason, command: command ?? null })),
    others: others.gains,
    withOthers: others.isGiven,
  }
  if (isSame || flags.dryRun === true) {
    const message = isSame ? 'Nothing to do: the gateway is already installed.' : 'Nothing was changed (--dry-run).'
    output.show({ ...document, written: false, changed: !isSame }, () => [message])
    return 0
  }
  const files = [...filesOf(job, plan), ...(after === target.text ? [] : [target.file])]
  if (!(await confirm(work, flags, files))) return DECLINED
  // Checked before our own config is written, so that both files are written or none.
  await checkReplaceable(target.file, target.text)
  const written = await writePlan(job, plan)
  if (plan.isOfProject) await approveWritten(job, plan)
  const backup = after === target.text ? undefined : await replaceAfter(work, plan, change)
  await rememberInstalled(environment.stateDir, {
    ...launch,
    file: target.file,
    client,
    cwd: environment.cwd,
    config: plan.file,
    servers: [...plan.added, ...plan.present].map(({ name }) => name),
  })
  output.show(
    {
      ...document,
      written: true,
      backup: backup ?? null,
      secretsFile: written.secretsFile ?? null,
      toExport: written.toExport,
    },
    () => [
      ...(plan.after === plan.before ? [] : writtenLines(written, home, output)),
      ...(after === target.text
        ? []
        : writtenLines({ file: target.file, backup, secretsFile: undefined, toExport: [] }, home, output)),
      '',
      ...wrap(endLine(target, words, remove.length), output.width),
      ...stayingLines(staying, words, output.width),
    ],
  )
  return 0
}

/** If the newest backup has no entry with our name, the entry was added after it, by `install`. */
function isNewSince(newest: ClientDocument | undefined): boolean {
  return newest !== undefined && ownEntries(newest).length === 0
}

/** If the client's file cannot be changed, prints that our own config already has the servers. */
async function replaceAfter({ output }: Work, plan: ConfigPlan, change: FileChange): Promise<string | undefined> {
  try {
    return await replaceFile(change.file, change)
  } catch (error) {
    if (plan.after !== plan.before) output.note(`${plan.file} already contains the servers, which is harmless.`)
    throw error
  }
}

/** The entries that stay in the client's file, and the reason. */
function leftLines(
  { document }: ClientFileToChange,
  servers: readonly ServerConfig[],
  width: number,
): readonly string[] {
  const known = new Map(servers.map((server) => [server.origin.path, server]))
  const others = document.entries.filter(({ name }) => name !== OWN_NAME)
  const off = others.filter(({ path }) => known.get(pathText(path))?.enabled === false)
  const unusable = others.filter(({ path }) => !known.has(pathText(path)))
  const line = (why: string, entries: readonly ClientEntry[]) =>
    entries.length === 0
      ? []
      : wrap(`Left in the file because ${why}: ${entries.map(({ name }) => oneLine(name)).join(', ')}`, width)
  return [...line('they are switched off', off), ...line('the gateway cannot use them', unusable)]
}

/** `words` are the arguments of `toolcrib install`. */
function stayingLines(staying: readonly StayingServer[], words: string, width: number): readonly string[] {
  return staying.flatMap(({ name, reason, command }) => {
    const next = command === undefined ? '' : ` Run \`${command}\`, then \`toolcrib install ${words}\` again.`
    return wrap(`Stays in the client: ${oneLine(name)}, because ${reason}.${next}`, width)
  })
}

/** The command line contains paths of this machine, which other people who use the project do not have. */
function pathLines({ project, command }: InstallFlags, width: number): readonly string[] {
  if (project !== true || command !== undefined) return []
  return wrap("The project's file gets paths of this machine. --command writes another command line.", width)
}

/** `words` are the arguments of `toolcrib uninstall` that undo the installation. */
function endLine({ importer, document }: ClientFileToChange, words: string, replaced: number): string {
  const isOff = ownEntries(document).some(
    ({ value }) => isRecord(value) && (value.disabled === true || value.enabled === false),
  )
  const state = isOff ? 'It is switched off in the file, as before: switch it on in the client.' : 'Restart the client.'
  const instead = replaced === 0 ? '' : ` in place of ${count(replaced, 'server')}`
  return `${importer.name} now has the gateway${instead}. ${state} \`toolcrib uninstall ${words}\` undoes this.`
}

/** Compared by path and not by name, because two sections of a file can use the same name for different servers. */
function replacedBy({ added, present }: ConfigPlan, { document }: ClientFileToChange): readonly ClientEntry[] {
  const paths = new Set([...added, ...present].map(({ origin }) => origin.path))
  return document.entries.filter(({ name, path }) => name !== OWN_NAME && paths.has(pathText(path)))
}

interface FoundServers {
  /** All servers of the client's file. */
  readonly servers: readonly ServerConfig[]
  readonly rules: readonly ToolRule[]
  readonly problems: readonly ConfigProblem[]
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

interface Takeover {
  readonly plan: ConfigPlan
  readonly staying: readonly StayingServer[]
}

/** Takes the enabled servers of the file that work behind the gateway. The other servers stay in the file. */
async function planTakeover(
  work: Work,
  flags: InstallFlags,
  { servers, rules }: FoundServers,
  { sources, newText }: ChosenOthers,
): Promise<Takeover> {
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

function replacedServers({ added, present }: ConfigPlan, servers: readonly ServerConfig[]): readonly ServerConfig[] {
  const paths = new Set([...added, ...present].map(({ origin }) => origin.path))
  return servers.filter(({ origin }) => paths.has(origin.path))
}

/** The values that a diff of the client's file must mask. */
function secretValues(servers: readonly ServerConfig[]): string[] {
  return servers.flatMap((server) => extractSecrets(server, new Map()).secrets).map(({ value }) => value)
}

function checkSection({ file, document: { blocked } }: ClientFileToChange): void {
  if (blocked === undefined) return
  raise('CONFIG_UNWRITABLE', {
    file,
    reason: `'${pathText(blocked.path)}' should be an object of servers, but is ${blocked.found}`,
    todo: 'Change it to an object such as {}, or remove it.',
  })
}

function cannotEdit(file: string, { command, args }: Launch): never {
  return raise('CONFIG_UNWRITABLE', {
    file,
    reason: 'Toolcrib cannot edit it without damaging the rest of the file',
    todo: `Add a server '${OWN_NAME}' by hand that runs \`${[command, ...args].join(' ')}\`.`,
  })
}
