// Runs `toolcrib uninstall`: restores the file of one client, or with --all those of all clients, and keeps later edits.

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { importers } from '../../../config/imports/builtins.ts'
import { messageOf, shellWord } from '../../../core/text.ts'
import type { Environment } from '../../../setup/environment.ts'
import { OWN_NAME } from '../../../setup/files/write-client.ts'
import { BACKUP, checkReplaceable, replaceFile } from '../../../setup/files/write-file.ts'
import { readInstallations } from '../../../setup/installed.ts'
import { clientsWith } from '../../../setup/known-clients.ts'
import { loadFor } from '../../../setup/load-config.ts'
import { configFolders, type OwnFolder, presentFolders, recordFolders } from '../../../setup/own-folders.ts'
import { planRestore, type RestorePlan } from '../../../setup/plan-restore.ts'
import { changeLines, writtenLines } from '../../config-changes/plan-lines.ts'
import type { InstallFlags } from '../../config-changes/setup-commands.ts'
import { confirm, DECLINED } from '../../output/ask.ts'
import type { Output } from '../../output/output.ts'
import { capitalize, count, oneLine, wrap } from '../../output/text.ts'
import type { Work } from '../../output/work.ts'
import { leftBehind, NOTHING_PURGED, purge, type UninstallFlags } from './purge.ts'

export async function uninstallClient(work: Work, client: string, flags: InstallFlags): Promise<number> {
  const { output, environment } = work
  const plan = await planRestore(environment, { client, project: flags.project === true })
  const { file } = plan
  const base = { client, file }
  if (!('after' in plan)) {
    output.show({ ...base, written: false, restores: [] }, () => [
      `Nothing to do: the gateway is not in ${output.path(file)}.`,
    ])
    return 0
  }
  const { restores } = plan
  output.print(...(await restoreLines(work, plan)))
  if (flags.dryRun === true) {
    output.show({ ...base, written: false, restores }, () => ['Nothing was changed (--dry-run).'])
    return 0
  }
  if (!(await confirm(work, flags, [file]))) return DECLINED
  const backup = await replaceFile(file, plan)
  const stays = plan.configs.filter(existsSync)
  output.show({ ...base, written: true, restores, backup: backup ?? null, stays }, () => [
    ...writtenLines({ file, backup }, output),
    '',
    ...wrap(`${endLine(plan)} Restart the client.`, output.width),
    ...staysLines(plan, stays, output),
  ])
  return 0
}

/** Lists the files from an installation that `uninstall` does not remove. `configs` belong to the gateway. */
function staysLines({ file, isNewFile }: RestorePlan, configs: readonly string[], output: Output): readonly string[] {
  const stays = [
    ...(isNewFile ? [`${output.path(file)} (created by \`toolcrib install\`)`] : []),
    ...configs.map((config) => `${output.path(config)} (the config of the gateway)`),
  ]
  return stays.length === 0 ? [] : output.wrap(`Left in place: ${stays.join(', ')}`)
}

/** The diff of the client's file, and a note if it has no backup. */
async function restoreLines(work: Work, plan: RestorePlan): Promise<readonly string[]> {
  const { output } = work
  return [
    ...(await changeLines(plan, output, plan.secrets)),
    ...(plan.hasBackup || plan.isNewFile ? [] : output.wrap(await noBackupText(work, plan.file))),
  ]
}

/** Only a backup shows which servers the client had: our config does not store where a server came from. */
async function noBackupText({ output, environment, flags, signal }: Work, file: string): Promise<string> {
  // The gateway is removed even if its config cannot be read.
  const loaded = await loadFor(environment, flags, signal).catch(() => undefined)
  const own = (loaded?.servers ?? [])
    .filter(({ origin }) => origin.source === 'config' || origin.source === 'project')
    .map(({ name }) => oneLine(name))
  const found = `No server is restored: there is no backup of ${output.path(file)} from before the gateway was installed (${BACKUP}…).`
  if (own.length === 0) return found
  return `${found} The gateway's config contains ${own.join(', ')}. \`toolcrib config show --verbose\` prints how each is started; write those of the client into its file by hand.`
}

function endLine({ client, restores, hasBackup, isNewFile }: RestorePlan): string {
  const restored = restores.length
  if (!hasBackup && !isNewFile) return `The gateway is removed from ${client}.`
  if (restored === 0) return `The gateway is removed from ${client}; there is no server to restore.`
  return `${client} has its ${count(restored, 'server')} back, and the gateway is removed.`
}

/** The exit code if a client is not restored, or if a gateway still runs. */
const INCOMPLETE = 2
const BACKUPS_LEFT =
  'The backups contain the files from before each change, with their secrets. Only you can read them. Remove them when the clients work as before.'

export async function uninstallAll(work: Work, flags: UninstallFlags): Promise<number> {
  const { output, environment } = work
  const { path } = output
  const all = await planAll(environment)
  // With --purge, a client without a backup keeps the gateway, because its servers would be lost with the config.
  const kept = flags.purge === true ? all.plans.filter(mayLoseServers) : []
  const plans = all.plans.filter((plan) => !kept.includes(plan))
  const problems = [
    ...all.problems,
    ...kept.map(
      ({ file, command }) =>
        `${file} has no backup, so its servers may exist only in the config. Run ${command}, write its servers into the file by hand, then run this command again.`,
    ),
  ]
  const records = flags.purge === true ? await presentFolders(recordFolders(environment)) : []
  const configs = flags.purge === true ? await presentFolders(configFolders(environment)) : []
  for (const plan of plans) output.print(...(await restoreLines(work, plan)))
  output.print(
    ...problems.flatMap((problem) => output.wrap(`Not changed: ${problem}`)),
    ...folderLines('Will be removed', records, output),
    ...folderLines('Will be removed if you agree', configs, output),
  )
  const document = {
    clients: plans.map(({ client, file, restores }) => ({ client, file, restores })),
    problems,
  }
  const hasNothingToDo = plans.length + records.length + configs.length === 0
  if (hasNothingToDo || flags.dryRun === true) {
    const text = hasNothingToDo ? nothingText(problems) : 'Nothing was changed (--dry-run).'
    output.show({ ...document, written: false, removed: [], left: [] }, () => [text])
    return problems.length === 0 ? 0 : INCOMPLETE
  }
  const files = plans.map(({ file }) => file)
  const question = questionFor(files, records, output)
  if (!(await confirm(work, flags, files, { question }))) return DECLINED
  for (const plan of plans) await checkReplaceable(plan.file, plan.before)
  for (const plan of plans) {
    const backup = await replaceFile(plan.file, plan)
    // Printed at once, because the next file may fail.
    output.print(...writtenLines({ file: plan.file, backup }, output))
  }
  const purged = flags.purge === true ? await purge(work, flags, { problems, records, configs }) : NOTHING_PURGED
  const left = flags.purge === true ? await leftBehind(work, purged.elsewhere) : []
  output.show(
    { ...document, written: true, removed: purged.removed.map((one) => one.path), left, running: purged.running },
    () => [
      ...purged.removed.map((one) => `${output.paint.green('✓')} Removed ${path(one.path)} (${one.content})`),
      ...purged.notes.flatMap((note) => output.wrap(note)),
      ...(left.length === 0 ? [] : ['', ...wrap("Left in place, outside of Toolcrib's own folders:", output.width)]),
      ...left.map((one) => `  ${path(one)}`),
      ...(left.some((one) => one.includes(BACKUP)) ? output.wrap(BACKUPS_LEFT) : []),
      '',
      ...plans.flatMap((plan) => output.wrap(endLine(plan))),
      ...(plans.length === 0 ? [] : [plans.length === 1 ? 'Restart the client.' : 'Restart these clients.']),
    ],
  )
  return problems.length + purged.running.length === 0 ? 0 : INCOMPLETE
}

interface FoundPlan extends RestorePlan {
  /** Uninstalls only this client. */
  readonly command: string
}

/** `folder` is that of the project. Undefined for a file of the user. */
function uninstallCommand(client: string, folder: string | undefined): string {
  const words = `toolcrib uninstall ${shellWord(client)}`
  return folder === undefined ? `\`${words}\`` : `\`${words} --project\` in ${folder}`
}

/** Plans to restore the files of the user, of the current project, and of every project in which `install` was run. */
async function planAll(environment: Environment) {
  const installed = await readInstallations(environment.stateDir)
  const folders = [...new Set([environment.cwd, ...installed.flatMap(({ cwd }) => cwd ?? [])])]
  const candidates = [
    ...clientsWith(environment, 'user').map(({ name }) => ({ client: name, project: false, cwd: environment.cwd })),
    ...folders.flatMap((cwd) =>
      clientsWith({ ...environment, cwd }, 'project').map(({ name }) => ({ client: name, project: true, cwd })),
    ),
  ]
  const plans: FoundPlan[] = []
  const problems: string[] = []
  for (const { client, project, cwd } of candidates) {
    const there = { ...environment, cwd }
    try {
      const plan = await planRestore(there, { client, project })
      // Two clients can share a file.
      if ('after' in plan && !plans.some(({ file }) => file === plan.file))
        plans.push({ ...plan, command: uninstallCommand(client, project ? cwd : undefined) })
    } catch (error) {
      // A broken file of a client without the gateway is not reported.
      const isReported = await mayHaveGateway(there, client, project, new Set(installed.map(({ file }) => file)))
      if (isReported) problems.push(oneLine(messageOf(error)))
    }
  }
  return { plans, problems: [...new Set(problems)] }
}

/** Whether the config of the gateway may have the only copy of the servers of this client. */
function mayLoseServers({ hasBackup, isNewFile, restores }: RestorePlan): boolean {
  return !hasBackup && !isNewFile && restores.length === 0
}

/** Whether the gateway was installed in a file of this client, or such a file contains the gateway's name. */
async function mayHaveGateway(
  environment: Environment,
  client: string,
  project: boolean,
  installed: ReadonlySet<string>,
): Promise<boolean> {
  const all = importers.get(client)?.paths(environment) ?? []
  const files = all.filter(({ scope }) => (scope === 'project') === project)
  if (files.some(({ path }) => installed.has(path))) return true
  const texts = await Promise.all(files.map(({ path }) => readFile(path, 'utf8').catch(() => '')))
  return texts.some((text) => text.includes(OWN_NAME))
}

function folderLines(what: string, folders: readonly OwnFolder[], output: Output): readonly string[] {
  return folders.map(({ path, content }) => `${what}: ${output.path(path)} (${content})`)
}

function nothingText(problems: readonly string[]): string {
  return problems.length === 0 ? 'Nothing to do: no client has the gateway.' : 'Nothing was changed.'
}

function questionFor(files: readonly string[], records: readonly OwnFolder[], { path }: Output): string {
  const parts = [
    ...(files.length === 0 ? [] : [`write ${files.map(path).join(', ')}`]),
    ...(records.length === 0 ? [] : [`remove ${records.map((one) => path(one.path)).join(', ')}`]),
  ]
  // Without files and records, this question is only about the gateways; --purge asks about the config later.
  return `${capitalize(parts.length === 0 ? 'end the running gateways' : parts.join(' and '))}?`
}
