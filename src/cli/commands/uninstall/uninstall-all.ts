// Runs `toolcrib uninstall --all`: restores the files of all clients. With --purge it also removes Toolcrib's files.

import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { importers } from '../../../config/imports/builtins.ts'
import { messageOf } from '../../../core/text.ts'
import type { Environment } from '../../../setup/environment.ts'
import { OWN_NAME } from '../../../setup/files/write-client.ts'
import { BACKUP, checkReplaceable, replaceFile } from '../../../setup/files/write-file.ts'
import { readInstallations } from '../../../setup/installed.ts'
import { clientsWith } from '../../../setup/known-clients.ts'
import { loadFor } from '../../../setup/load-config.ts'
import {
  configFolders,
  type OwnFolder,
  presentFolders,
  recordFolders,
  removeFolder,
} from '../../../setup/own-folders.ts'
import { planRestore, type RestorePlan } from '../../../setup/plan-restore.ts'
import { confirm, DECLINED, isConfirmed } from '../../output/confirm.ts'
import { writtenLines } from '../../output/plan-lines.ts'
import type { UninstallFlags } from '../../output/setup-flags.ts'
import { oneLine, shortPath, wrap } from '../../output/text.ts'
import type { Work } from '../../output/work.ts'
import { endGateways } from './end-gateways.ts'
import { endLine, restoreLines } from './uninstall-client.ts'

const INCOMPLETE = 2
const BACKUPS_LEFT =
  'The backups contain the files from before each change, with their secrets. Only you can read them. Remove them when the clients work as before.'

export async function uninstallAll(work: Work, flags: UninstallFlags): Promise<number> {
  const { output, environment } = work
  const { home } = environment
  const path = (one: string) => oneLine(shortPath(one, home))
  const all = await planAll(environment)
  // With --purge, a client without a backup keeps the gateway, because its servers would be lost with the config.
  const kept = flags.purge === true ? all.plans.filter(isOnlyInConfig) : []
  const plans = all.plans.filter((plan) => !kept.includes(plan))
  const problems = [
    ...all.problems,
    ...kept.map(({ client, file }) => `${file} has no backup, so only the config has the servers that ${client} had`),
  ]
  const records = flags.purge === true ? await presentFolders(recordFolders(environment)) : []
  const configs = flags.purge === true ? await presentFolders(configFolders(environment)) : []
  for (const plan of plans) output.print(...(await restoreLines(work, plan)))
  output.print(
    ...problems.flatMap((problem) => wrap(`Not changed: ${problem}`, output.width)),
    ...folderLines('Will be removed', records, home),
    ...folderLines('Will be removed if you agree', configs, home),
  )
  const document = {
    clients: plans.map(({ client, file, restores }) => ({ client, file, restores })),
    problems,
  }
  const isNothing = plans.length + records.length + configs.length === 0
  if (isNothing || flags.dryRun === true) {
    const text = isNothing ? nothingText(problems) : 'Nothing was changed (--dry-run).'
    output.show({ ...document, written: false, removed: [], left: [] }, () => [text])
    return problems.length === 0 ? 0 : INCOMPLETE
  }
  const files = plans.map(({ file }) => file)
  const question = questionFor(
    files.map(path),
    records.map((one) => path(one.path)),
  )
  if (!(await confirm(work, flags, files, question))) return DECLINED
  for (const plan of plans) await checkReplaceable(plan.file, plan.before)
  const backups: (string | undefined)[] = []
  for (const plan of plans) backups.push(await replaceFile(plan.file, plan))
  output.print(
    ...plans.flatMap(({ file }, at) =>
      writtenLines({ file, backup: backups[at], secretsFile: undefined, toExport: [] }, home, output),
    ),
  )
  const purged = flags.purge === true ? await purge(work, flags, { problems, records, configs }) : NOTHING_PURGED
  const left = flags.purge === true ? await leftBehind(work, purged.before) : []
  output.show(
    { ...document, written: true, removed: purged.removed.map((one) => one.path), left, running: purged.running },
    () => [
      ...purged.removed.map((one) => `${output.paint.green('✓')} Removed ${path(one.path)} (${one.content})`),
      ...purged.notes.flatMap((note) => wrap(note, output.width)),
      ...(left.length === 0
        ? []
        : ['', ...wrap("Left, because it is outside of Toolcrib's own folders:", output.width)]),
      ...left.map((one) => `  ${path(one)}`),
      ...(left.some((one) => one.includes(BACKUP)) ? wrap(BACKUPS_LEFT, output.width) : []),
      '',
      ...plans.flatMap((plan) => wrap(endLine(plan.client, plan.restores.length, plan.hasBackup), output.width)),
      ...(plans.length === 0 ? [] : ['Restart these clients.']),
    ],
  )
  return problems.length + purged.running.length === 0 ? 0 : INCOMPLETE
}

interface AllPlans {
  readonly plans: readonly RestorePlan[]
  readonly problems: readonly string[]
}

/** The files of the user, and those of the current project and of every project in which `install` was run. */
async function planAll(environment: Environment): Promise<AllPlans> {
  const installed = await readInstallations(environment.stateDir)
  const folders = [...new Set([environment.cwd, ...installed.flatMap(({ cwd }) => cwd ?? [])])]
  const candidates = [
    ...clientsWith(environment, 'user').map(({ name }) => ({ client: name, project: false, cwd: environment.cwd })),
    ...folders.flatMap((cwd) =>
      clientsWith({ ...environment, cwd }, 'project').map(({ name }) => ({ client: name, project: true, cwd })),
    ),
  ]
  const plans: RestorePlan[] = []
  const problems: string[] = []
  for (const { client, project, cwd } of candidates) {
    const there = { ...environment, cwd }
    try {
      const plan = await planRestore(there, { client, project })
      // Two clients can share a file.
      if ('after' in plan && !plans.some(({ file }) => file === plan.file)) plans.push(plan)
    } catch (error) {
      // A broken file of a client without the gateway is not our concern.
      const isOurs = await mentionsUs(there, client, project, new Set(installed.map(({ file }) => file)))
      if (isOurs) problems.push(oneLine(messageOf(error)))
    }
  }
  return { plans, problems: [...new Set(problems)] }
}

/** Without a backup, the config of the gateway has the only copy of the servers of this client. */
function isOnlyInConfig({ hasBackup, restores }: RestorePlan): boolean {
  return !hasBackup && restores.length === 0
}

async function mentionsUs(
  environment: Environment,
  client: string,
  project: boolean,
  installed: ReadonlySet<string>,
): Promise<boolean> {
  const files = importers.get(client)?.paths(environment) ?? []
  if (files.some(({ path, scope }) => (scope === 'project') === project && installed.has(path))) return true
  const texts = await Promise.all(
    files
      .filter(({ scope }) => (scope === 'project') === project)
      .map(({ path }) => readFile(path, 'utf8').catch(() => '')),
  )
  return texts.some((text) => text.includes(OWN_NAME))
}

interface Purged {
  readonly removed: readonly OwnFolder[]
  readonly notes: readonly string[]
  /** The process ids of gateways that still run. */
  readonly running: readonly number[]
  /** Our files outside of our folders. They are looked up in the records before the records are removed. */
  readonly before: readonly string[]
}

const NOTHING_PURGED: Purged = { removed: [], notes: [], running: [], before: [] }

async function purge(
  work: Work,
  flags: UninstallFlags,
  found: {
    readonly problems: readonly string[]
    readonly records: readonly OwnFolder[]
    readonly configs: readonly OwnFolder[]
  },
): Promise<Purged> {
  if (found.problems.length > 0) {
    const note =
      'Nothing was removed, because not every client is restored (see above). Correct that and run this again.'
    return { ...NOTHING_PURGED, notes: [note] }
  }
  const { ended, running } = await endGateways(work)
  const notes = ended.map((pid) => `Ended the gateway with the process id ${pid}.`)
  if (running.length > 0) {
    const note = `Nothing was removed, because these gateways still run: ${running.join(', ')} (process ids). Close the clients that started them, or end the processes, and run this again.`
    return { ...NOTHING_PURGED, notes: [...notes, note], running }
  }
  const before = await filesElsewhere(work)
  const removed: OwnFolder[] = []
  for (const folder of found.records) {
    await removeFolder(folder)
    removed.push(folder)
  }
  const names = found.configs.map(({ path }) => oneLine(shortPath(path, work.environment.home))).join(' and ')
  const isAgreed =
    found.configs.length > 0 && (await isConfirmed(work, flags, `Remove your config and secrets in ${names} too?`))
  if (found.configs.length > 0 && !isAgreed) return { removed, notes: [...notes, `Kept: ${names}`], running, before }
  for (const folder of found.configs) {
    await removeFolder(folder)
    removed.push(folder)
  }
  return { removed, notes, running, before }
}

/** Files that Toolcrib has written outside of its own folders: project configs, and an audit log at another path. */
async function filesElsewhere({ environment, flags, signal }: Work): Promise<readonly string[]> {
  const installed = await readInstallations(environment.stateDir)
  const loaded = await loadFor(environment, flags, signal).catch(() => undefined)
  const audit = loaded?.config.audit.file
  const ours = [...recordFolders(environment), ...configFolders(environment)]
  const isInside = (file: string) => ours.some(({ path }) => !relative(path, file).startsWith('..'))
  const files = [...installed.flatMap(({ config }) => config ?? []), ...(audit === undefined ? [] : [audit])]
  return [...new Set(files)].filter((file) => !isInside(file))
}

/** Includes the backups beside the files of clients, which are the only copies of the earlier texts. */
async function leftBehind({ environment }: Work, elsewhere: readonly string[]): Promise<readonly string[]> {
  const files = [...importers.values()].flatMap(({ paths }) => paths(environment).map(({ path }) => path))
  const backups = await Promise.all(
    [...new Set([...files, ...elsewhere])].map(async (file) => {
      const names = await readdir(dirname(file)).catch(() => [])
      const isBackup = (name: string) => name.startsWith(`${basename(file)}${BACKUP}`)
      return names
        .filter((name) => isBackup(name) || (join(dirname(file), name) === file && elsewhere.includes(file)))
        .map((name) => join(dirname(file), name))
    }),
  )
  return [...new Set(backups.flat())].toSorted()
}

function folderLines(what: string, folders: readonly OwnFolder[], home: string): readonly string[] {
  return folders.map(({ path, content }) => `${what}: ${oneLine(shortPath(path, home))} (${content})`)
}

function nothingText(problems: readonly string[]): string {
  return problems.length === 0 ? 'Nothing to do: no client has the gateway.' : 'Nothing was changed.'
}

function questionFor(files: readonly string[], folders: readonly string[]): string {
  const parts = [
    ...(files.length === 0 ? [] : [`write ${files.join(', ')}`]),
    ...(folders.length === 0 ? [] : [`remove ${folders.join(', ')}`]),
  ]
  const text = parts.length === 0 ? 'continue' : parts.join(' and ')
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}?`
}
