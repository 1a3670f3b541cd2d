// Servers that cannot be asked as things are: a variable is not set, or a start has failed in the last minutes.

import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isRecord } from '../core/schema.ts'
import { manifestFile } from '../sources/upstream/manifest.ts'
import { entryName } from '../storage/entry-file.ts'
import { createFileStore } from '../storage/file.ts'
import type { Environment } from './environment.ts'
import { failuresFolder } from './known/places.ts'
import type { Startable } from './startable.ts'
import { describeUnset, howToSet, unsetNamesOf } from './unset-variables.ts'

/** Why, by server. */
export type Unreached = ReadonlyMap<string, string>

const FORGOTTEN_AFTER_MS = 10 * 60_000

/** Failed starts of the last minutes, unless the server has listed its tools since. */
export async function recentFailures(
  { cacheDir }: Pick<Environment, 'cacheDir'>,
  servers: readonly Startable[],
): Promise<Unreached> {
  const found = new Map<string, string>()
  // One look at the folder instead of one for each server: it is almost always empty.
  const files = new Set(await readdir(failuresFolder(cacheDir)).catch(() => []))
  const kept = files.size === 0 ? [] : servers.filter(({ key }) => files.has(entryName(key)))
  if (kept.length === 0) return found
  const store = createFileStore({ dir: failuresFolder(cacheDir) })
  for (const { id, key } of kept) {
    const failure = await store.get(key)
    if (!isRecord(failure) || typeof failure.reason !== 'string' || typeof failure.at !== 'number') continue
    const listedAt = await stat(manifestFile(join(cacheDir, 'manifests'), key)).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    )
    if (listedAt < failure.at) found.set(id, failure.reason)
  }
  await store[Symbol.asyncDispose]()
  return found
}

/** A variable that is not set is left out: that can be looked up without a start. */
export async function rememberFailures(
  { cacheDir, env }: Pick<Environment, 'cacheDir' | 'env'>,
  servers: readonly Startable[],
  reasons: Unreached,
): Promise<void> {
  const failed = servers.filter((server) => reasons.has(server.id) && unsetNamesOf(server, env).length === 0)
  if (failed.length === 0) return
  const store = createFileStore({ dir: failuresFolder(cacheDir) })
  for (const { id, key } of failed) {
    await store.set(key, { reason: reasons.get(id), at: Date.now() }, { ttlMs: FORGOTTEN_AFTER_MS })
  }
  await store[Symbol.asyncDispose]()
}

/** The servers that refer to a variable that is not set, and how to set it. */
export function unsetOf(
  servers: readonly Startable[],
  environment: Pick<Environment, 'env' | 'configDir' | 'home' | 'platform'>,
): Unreached {
  return new Map(
    servers.flatMap((server) => {
      const names = unsetNamesOf(server, environment.env)
      return names.length === 0
        ? []
        : [[server.id, `${describeUnset(names)}; ${howToSet(names, environment)}`] as const]
    }),
  )
}
