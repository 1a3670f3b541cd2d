// Removes Toolcrib's own folders for `toolcrib uninstall --all --purge`, and finds its files outside of them.

import { readdir } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { importers } from '../../../config/imports/builtins.ts'
import { BACKUP } from '../../../setup/files/write-file.ts'
import { readInstallations } from '../../../setup/installed.ts'
import { loadFor } from '../../../setup/load-config.ts'
import { configFolders, type OwnFolder, recordFolders, removeFolder } from '../../../setup/own-folders.ts'
import { isConfirmed } from '../../output/confirm.ts'
import type { UninstallFlags } from '../../output/setup-flags.ts'
import { count, oneLine, shortPath } from '../../output/text.ts'
import type { Work } from '../../output/work.ts'
import { endGateways } from './end-gateways.ts'

interface Purged {
  readonly removed: readonly OwnFolder[]
  readonly notes: readonly string[]
  /** The process ids of gateways that still run. */
  readonly running: readonly number[]
  /** Our files outside of our folders. Only the records name them, so they are read before the records are removed. */
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
    const note = `Nothing was removed, because ${still}: process ${running.join(', ')}. Close each client that started one, or end the process, then run the command again.`
    return { ...NOTHING_PURGED, notes: [...notes, note], running }
  }
  const elsewhere = await filesElsewhere(work)
  const removed: OwnFolder[] = []
  for (const folder of found.records) {
    await removeFolder(folder)
    removed.push(folder)
  }
  const names = found.configs.map(({ path }) => oneLine(shortPath(path, work.environment.home))).join(' and ')
  const isAgreed =
    found.configs.length > 0 && (await isConfirmed(work, flags, `Remove your config and secrets in ${names} too?`))
  if (found.configs.length > 0 && !isAgreed) return { removed, notes: [...notes, `Kept: ${names}`], running, elsewhere }
  for (const folder of found.configs) {
    await removeFolder(folder)
    removed.push(folder)
  }
  return { removed, notes, running, elsewhere }
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
