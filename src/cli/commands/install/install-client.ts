// Runs `toolcrib install`: copies the client's servers into our own config, then replaces them with the gateway.

import { isAbsolute } from 'node:path'
import type { Launch } from '../../../config/imports/importer.ts'
import { pathText } from '../../../config/problem.ts'
import type { ServerConfig } from '../../../config/server-config.ts'
import { raise } from '../../../core/errors.ts'
import { isRecord } from '../../../core/is-record.ts'
import type { ClientFileToChange } from '../../../setup/client-file.ts'
import { approveWritten, type ConfigPlan } from '../../../setup/config-plan.ts'
import { type ClientEntry, OWN_NAME, ownEntries } from '../../../setup/files/write-client.ts'
import { checkReplaceable, replaceFile } from '../../../setup/files/write-file.ts'
import { extractSecrets } from '../../../setup/files/write-secrets.ts'
import { rememberInstalled } from '../../../setup/installed.ts'
import type { StayingServer } from '../../../setup/staying-servers.ts'
import { filesOf, type WrittenPlan, writePlan } from '../../../setup/write-plan.ts'
import { renamedIn } from '../../config-changes/not-taken.ts'
import { changeLines, type FileChange, planNotes, problemLines, writtenLines } from '../../config-changes/plan-lines.ts'
import type { InstallFlags } from '../../config-changes/setup-commands.ts'
import { neededLines, neededVariables } from '../../gateway/server-variables.ts'
import { confirm, DECLINED } from '../../output/ask.ts'
import type { Output } from '../../output/output.ts'
import { count, oneLine, shortPath, wrap } from '../../output/text.ts'
import type { Work } from '../../output/work.ts'
import { type InstallPlan, othersLines, planInstall } from './plan-install.ts'

export async function installClient(work: Work, client: string, given: InstallFlags): Promise<number> {
  if (given.shared === true && given.command !== undefined) {
    const reason = '--command takes the whole command line; add --shared to that line instead'
    raise('INVALID_ARGUMENTS', { reason, command: 'toolcrib install' })
  }
  // One gateway serves the same servers to all its clients.
  const flags = given.shared === true ? { ...given, withOthers: true } : given
  const { output } = work
  const install = await planInstall(work, client, flags)
  const { target, after, plan } = install
  const needed = neededVariables(replacedServers(install), work.environment)
  output.print(
    ...(await planLines(work, client, flags, install)),
    ...neededLines(needed, work.environment, output),
    ...(needed.length === 0 ? [] : ['']),
  )
  const document = documentOf(client, install, needed)
  const isUnchanged = after === target.text && plan.after === plan.before
  if (isUnchanged || flags.dryRun === true) {
    const message = isUnchanged
      ? 'Nothing to do: the gateway is already installed.'
      : 'Nothing was changed (--dry-run).'
    output.show({ ...document, written: false, changed: !isUnchanged }, () => [message])
    return 0
  }
  const files = [...filesOf(install.configWork, plan), ...(after === target.text ? [] : [target.file])]
  if (!(await confirm(work, flags, files))) return DECLINED
  const { written, backup } = await writeInstall(work, client, install)
  const { secretsFile = null, toExport } = written
  output.show({ ...document, written: true, backup: backup ?? null, secretsFile, toExport }, () =>
    doneLines(work, install, { written, backup }),
  )
  return 0
}

/** The diffs of our config and of the client's file, and what the user should know about them. */
async function planLines(
  { output }: Work,
  client: string,
  flags: InstallFlags,
  install: InstallPlan,
): Promise<readonly string[]> {
  const { target, after, plan, found, launch, others, staying, words } = install
  const secrets = secretValues(found.servers).concat(plan.secrets.map(({ value }) => value))
  const change = { file: target.file, before: target.text, after }
  return [
    ...(await changeLines(plan, output, secrets)),
    ...(await changeLines(change, output, secrets)),
    ...planNotes(plan, output),
    ...othersLines(others, client, { isWritten: flags.yes === true, hasNoServers: hasNoServers(plan) }, output),
    ...noServerLines(install, flags, output),
    ...leftLines(target, found.servers, output),
    ...stayingLines(staying, words, output),
    ...pathLines(launch, flags, output),
    ...problemLines(found.problems, output),
  ]
}

/** Whether `install` creates a config without servers. */
function hasNoServers({ isNew, after, added, present, sources }: ConfigPlan): boolean {
  return isNew && after !== '' && added.length + present.length + sources.length === 0
}

/** A warning if the config that `install` creates has no servers. */
function noServerLines({ plan, others, words }: InstallPlan, { yes }: InstallFlags, output: Output): readonly string[] {
  if (!hasNoServers(plan)) return []
  if (others.gains.length === 0)
    return output.wrap(output.keepConfig('This gateway would have no servers: `toolcrib add` adds one.'))
  const install = `\`toolcrib install ${words} --with-others\``
  // With --yes the empty config is written before the user can read this.
  const afterwards =
    others.config === undefined ? '`toolcrib import --write`' : `\`toolcrib uninstall ${words}\`, then ${install},`
  const next = yes === true ? afterwards : `${install} instead`
  const text = `This gateway would have no servers: run ${next} to give it the servers of your other clients.`
  return output.wrap(output.keepConfig(text))
}

function documentOf(
  client: string,
  { target, replaced, launch, staying, others, plan }: InstallPlan,
  variables: ReturnType<typeof neededVariables>,
): object {
  return {
    client,
    file: target.file,
    command: [launch.command, ...launch.args],
    replaces: [...new Set(replaced.map(({ name }) => name))],
    config: plan.file,
    added: plan.added.map(({ name }) => name),
    renamed: renamedIn([...plan.added, ...plan.present]),
    references: plan.secrets.map(({ name, server }) => ({ name, server })),
    sources: plan.sources.map(({ type }) => type),
    variables,
    stays: staying.map(({ name, reason, command }) => ({ server: name, reason, command: command ?? null })),
    others: others.gains,
    withOthers: others.isGiven,
  }
}

interface WrittenInstall {
  /** Our config. */
  readonly written: WrittenPlan
  /** The backup of the client's file. Undefined if the file was new or did not change. */
  readonly backup: string | undefined
}

async function writeInstall(
  work: Work,
  client: string,
  { target, after, launch, plan, configWork }: InstallPlan,
): Promise<WrittenInstall> {
  const { environment } = work
  // Checked before our own config is written: it must not be written if the client's file cannot be replaced.
  await checkReplaceable(target.file, target.text)
  const written = await writePlan(configWork, plan)
  if (plan.isOfProject) await approveWritten(configWork, plan)
  const change = { file: target.file, before: target.text, after }
  const backup = after === target.text ? undefined : await replaceAfterPlan(work, plan, change)
  await rememberInstalled(environment.stateDir, {
    ...launch,
    file: target.file,
    client,
    cwd: environment.cwd,
    config: plan.file,
    servers: [...plan.added, ...plan.present].map(({ name }) => name),
    ...(after === target.text ? {} : { isNewFile: backup === undefined }),
  })
  return { written, backup }
}

/** Replaces the client's file. If this fails, prints that our own config is already written. */
async function replaceAfterPlan(
  { output, environment }: Work,
  plan: ConfigPlan,
  change: FileChange,
): Promise<string | undefined> {
  try {
    return await replaceFile(change.file, change)
  } catch (error) {
    if (plan.after !== plan.before) {
      const file = shortPath(plan.file, environment.home)
      output.note(`${file} is already written, which is harmless.`)
    }
    throw error
  }
}

function doneLines({ output }: Work, install: InstallPlan, { written, backup }: WrittenInstall): readonly string[] {
  const { target, after, staying, plan, words } = install
  return [
    ...(plan.after === plan.before ? [] : writtenLines(written, output)),
    ...(after === target.text ? [] : writtenLines({ file: target.file, backup }, output)),
    '',
    ...wrap(endLine(install, backup === undefined && after !== target.text), output.width),
    ...stayingLines(staying, words, output),
  ]
}

/** The entries that stay in the client's file, and the reason. */
function leftLines(
  { document }: ClientFileToChange,
  servers: readonly ServerConfig[],
  output: Output,
): readonly string[] {
  const known = new Map(servers.map((server) => [server.origin.path, server]))
  const others = document.entries.filter(({ name }) => name !== OWN_NAME)
  const off = others.filter(({ path }) => known.get(pathText(path))?.enabled === false)
  const unusable = others.filter(({ path }) => !known.has(pathText(path)))
  const line = (why: string, entries: readonly ClientEntry[]) =>
    entries.length === 0
      ? []
      : output.wrap(`Left in the file because ${why}: ${entries.map(({ name }) => oneLine(name)).join(', ')}`)
  return [...line('they are disabled', off), ...line('the gateway cannot use them', unusable)]
}

/** The servers that would stop working behind the gateway. `words` are the arguments of `toolcrib install`. */
function stayingLines(staying: readonly StayingServer[], words: string, output: Output): readonly string[] {
  return staying.flatMap(({ name, reason, command }) => {
    const next = command === undefined ? '' : ` Run \`${command}\`, then \`toolcrib install ${words}\` again.`
    return output.wrap(output.keepConfig(`Stays in the client: ${oneLine(name)}, because ${reason}.${next}`))
  })
}

/** Other people who use the project may not have the paths of this machine. */
function pathLines(launch: Launch, { project, command }: InstallFlags, output: Output): readonly string[] {
  if (project !== true || command !== undefined || ![launch.command, ...launch.args].some(isAbsolute)) return []
  return output.wrap("The project's file gets paths of this machine. --command writes another command line.")
}

function endLine({ target, words, replaced }: InstallPlan, isNewFile: boolean): string {
  const { importer, document } = target
  const isGatewayOff = ownEntries(document).some(
    ({ value }) => isRecord(value) && (value.disabled === true || value.enabled === false),
  )
  const state = isGatewayOff ? 'It is disabled in the file, as before: enable it in the client.' : 'Restart the client.'
  const instead = replaced.length === 0 ? '' : ` in place of ${count(replaced.length, 'server')}`
  // `uninstall` keeps a file that `install` has created.
  const effect = isNewFile ? 'removes it again' : 'undoes this'
  return `${importer.name} now has the gateway${instead}. ${state} \`toolcrib uninstall ${words}\` ${effect}.`
}

/** The servers of the client's file that the gateway replaces, with the references of that file. */
function replacedServers({ plan, found }: InstallPlan): readonly ServerConfig[] {
  const paths = new Set([...plan.added, ...plan.present].map(({ origin }) => origin.path))
  return found.servers.filter(({ origin }) => paths.has(origin.path))
}

/** The values that a diff of the client's file must mask. */
function secretValues(servers: readonly ServerConfig[]): string[] {
  return servers.flatMap((server) => extractSecrets(server, new Map()).secrets).map(({ value }) => value)
}
