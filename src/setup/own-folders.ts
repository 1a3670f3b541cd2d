// Finds and removes the files of Toolcrib in its own folders. Nothing outside of these folders is removed.

import { lstat, readdir, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Environment } from './environment.ts'

export interface OwnFolder {
  readonly path: string
  readonly content: string
  /** Whether Toolcrib writes entries with this name. Only these are removed. */
  isPart(name: string): boolean
}

/**
 * The names that Toolcrib writes. Only these are removed: a variable such as XDG_CACHE_HOME can make a folder of the
 * user look like ours, and config, state and cache can be one folder.
 */
const CONFIG = /^(?:config\.|secrets\.env|toolcrib\.config\.)/
const STATE =
  /^(?:approvals\.json|installed\.json|audit\.jsonl|gateway\.jsonl|usage\.jsonl|token|setup\.lock)(?:\.[\w-]+)*$|^(?:gateways|logins|store|tokens)$/
const CACHE = /^(?:known|manifests|results)$|^unreachable\.json(?:\.[\w-]+)*$/

/** The folders with the records of Toolcrib: state, logs, logins and cache. */
export function recordFolders({ stateDir, cacheDir }: Environment): readonly OwnFolder[] {
  return [
    { path: stateDir, content: 'state, logs and logins', isPart: (name) => STATE.test(name) },
    { path: cacheDir, content: 'cache', isPart: (name) => CACHE.test(name) },
  ]
}

/** The folders with the choices of the user: the config and the secrets. */
export function configFolders({ configDir, home }: Environment): readonly OwnFolder[] {
  return [
    { path: configDir, content: 'config and secrets', isPart: (name) => CONFIG.test(name) },
    { path: join(home, '.toolcrib'), content: 'config', isPart: (name) => CONFIG.test(name) },
  ]
}

/** The folders that exist and have something to remove. A link is not followed: it leads out of our folders. */
export async function presentFolders(folders: readonly OwnFolder[]): Promise<readonly OwnFolder[]> {
  const names = await Promise.all(folders.map(namesIn))
  return folders.filter((_, at) => names[at]?.length !== 0)
}

/** Removes our entries, and the folder itself if it has no other entries. */
export async function removeFolder(folder: OwnFolder): Promise<void> {
  for (const name of await namesIn(folder)) await rm(join(folder.path, name), { recursive: true, force: true })
  await rmdir(folder.path).catch(() => {}) // fails if the folder has other files
  // On Windows, the folders for state, cache and config are in one folder of ours.
  const parent = dirname(folder.path)
  const isInOurs = ['state', 'cache', 'config'].includes(basename(folder.path)) && basename(parent) === 'toolcrib'
  if (isInOurs) await rmdir(parent).catch(() => {})
}

/** The entries to remove. None if the path is not a folder, for example a link. */
async function namesIn({ path, isPart }: OwnFolder): Promise<readonly string[]> {
  const isFolder = await lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
  return isFolder ? (await readdir(path)).filter(isPart) : []
}
