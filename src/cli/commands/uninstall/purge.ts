// Runs the --purge of `toolcrib uninstall --all`: ends the gateways, and removes the folders of Toolcrib.

import { readdir } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { importers } from '../../../config/imports/builtins.ts'
import { BACKUP } from '../../../setup/files/write-file.ts'
import { readInstallations } from '../../../setup/installed.ts'
import { loadFor } from '../../../setup/load-config.ts'
import { configFolders, type OwnFolder, recordFolders, removeFolder } from '../../../setup/own-folders.ts'
import type { InstallFlags } from '../../config-changes/setup-commands.ts'
import { askGateways } from '../../gateway/ask-gateways.ts'
import { isGone } from '../../gateway/registration.ts'
import { isConfirmed } from '../../output/ask.ts'
import { count } from '../../output/text.ts'
import type { Work } from '../../output/work.ts'

export interface UninstallFlags extends InstallFlags {
  readonly all?: boolean
  readonly purge?: boolean
}

interface Purged {
  readonly removed: readonly OwnFolder[]
  readonly notes: readonly string[]
  /** The process ids of gateways that still run. */
  readonly running: readonly number[]
  /** Our files outside of our folders. They are found first, because the records of them are removed too. */
  readonly elsewhere: readonly string[]
}

interface FoundFolders {
  /** The reasons why clients are not restored. */
  readonly problems: readonly string[]
  /** The folders with state, logs, logins and cache. */
  readonly records: readonly OwnFolder[]
  readonly configs: readonly OwnFolder[]
}

export const NOTHING_PURGED: Purged = { removed: [], notes: [], running: [], elsewhere: [] }

/** Removes nothing if a client is not restored, or if a gateway still runs. Asks before it removes the config. */
export async function purge(work: Work, flags: UninstallFlags, found: FoundFolders): Promise<Purged> {
  if (found.problems.length > 0) {
    const note =
      'Nothing was removed, because not every client is restored (see above). Correct this, then run the command again.'
    return { ...NOTHING_PURGED, notes: [note] }
  }
  const { ended, running } = await endGateways(work)
  const notes = ended.map((pid) => `Ended the gateway with the process id ${pid}.`)
  if (running.length > 0) {
    const still = count(running.length, 'gateway still runs', 'gateways still run')
    const processes = running.length === 1 ? 'process' : 'processes'
    const note = `Nothing was removed, because ${still}: ${processes} ${running.join(', ')}. Close each client that started one, or end the ${processes}, then run the command again.`
    return { ...NOTHING_PURGED, notes: [...notes, note], running }
  }
  const elsewhere = await filesElsewhere(work)
  for (const folder of found.records) await removeFolder(folder)
  const names = found.configs.map(({ path }) => work.output.path(path)).join(' and ')
  const isKept =
    found.configs.length > 0 && !(await isConfirmed(work, flags, `Remove your config and secrets in ${names} too?`))
  if (isKept) return { removed: found.records, notes: [...notes, `Kept: ${names}`], running, elsewhere }
  for (const folder of found.configs) await removeFolder(folder)
  return { removed: [...found.records, ...found.configs], notes, running, elsewhere }
}

/** Files that Toolcrib has written outside of its own folders: project configs, and an audit log at another path. */
async function filesElsewhere({ environment, flags, signal }: Work): Promise<readonly string[]> {
  const installed = await readInstallations(environment.stateDir)
  const loaded = await loadFor(environment, flags, signal).catch(() => undefined)
  const audit = loaded?.config.audit.file
  const ours = [...recordFolders(environment), ...configFolders(environment)]
  const isInside = (file: string) =>
    ours.some(({ path }) => {
      const within = relative(path, file)
      // On Windows, the relative path to another drive is absolute.
      return !within.startsWith('..') && !isAbsolute(within)
    })
  const files = [...installed.flatMap(({ config }) => config ?? []), ...(audit === undefined ? [] : [audit])]
  return [...new Set(files)].filter((file) => !isInside(file))
}

/** The files that stay: those in `elsewhere`, and the backups beside them and beside the files of clients. */
export async function leftBehind({ environment }: Work, elsewhere: readonly string[]): Promise<readonly string[]> {
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

const MAX_ANSWER_MS = 3_000
/** A gateway first finishes the calls in flight. */
const MAX_END_MS = 15_000
const CHECK_EVERY_MS = 100

/** Returns the process ids of the gateways that it has ended, and of those that still run: the user must end them. */
async function endGateways({ environment, signal }: Work) {
  const { stateDir, platform } = environment
  // A process that answers is a gateway, so its process id has not been reused by another program.
  const answers = await askGateways(stateDir, 'status', signal, MAX_ANSWER_MS)
  const all = answers.map(({ pid }) => pid)
  const answering = answers.filter(({ reply }) => !('error' in reply)).map(({ pid }) => pid)
  // On Windows a signal ends a process at once, and its servers would keep running.
  if (platform === 'win32') return { ended: [], running: all }
  for (const pid of answering) sendEnd(pid)
  let running = all
  const deadline = Date.now() + MAX_END_MS
  while (running.some((pid) => answering.includes(pid)) && Date.now() < deadline) {
    await wait(CHECK_EVERY_MS, undefined, { signal })
    // Waits for the end of the process, not of its registration, because a gateway writes to its log until it ends.
    running = all.filter((pid) => !isGone({ pid }))
  }
  return { ended: all.filter((pid) => !running.includes(pid)), running }
}

function sendEnd(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM')
  } catch {
    // It has ended meanwhile.
  }
}
