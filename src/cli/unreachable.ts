// Servers that cannot be asked as things are: a variable is not set, or a start has failed in the last minutes.

import { readFileSync, statSync } from 'node:fs'
import { isRecord } from '../core/is-record.ts'
import type { Environment } from './environment.ts'
import { failuresFile } from './known/places.ts'
import type { Startable } from './startable.ts'
import { describeUnset, howToSet, unsetNamesOf } from './unset-variables.ts'

/** Why, by server. */
export type Unreached = ReadonlyMap<string, string>

/** A start that failed. `manifest` is the file that the server's list of tools goes to when it starts. */
export interface FailedStart {
  readonly reason: string
  readonly at: number
  readonly manifest: string
}

const FORGOTTEN_AFTER_MS = 10 * 60_000

/** Failed starts of the last minutes, unless the server has listed its tools since. */
export function recentFailures(
  { cacheDir }: Pick<Environment, 'cacheDir'>,
  servers: readonly Pick<Startable, 'id' | 'key'>[],
): Unreached {
  const failed = readFailures(failuresFile(cacheDir), Date.now())
  return new Map(
    servers.flatMap(({ id, key }) => {
      const failure = failed.get(key)
      if (failure === undefined) return []
      const listedAt = statSync(failure.manifest, { throwIfNoEntry: false })?.mtimeMs ?? 0
      return listedAt < failure.at ? [[id, failure.reason] as const] : []
    }),
  )
}

/** By the key of the server's manifest. A file that is absent or damaged holds none. */
export function readFailures(file: string, now: number): ReadonlyMap<string, FailedStart> {
  try {
    const read: unknown = JSON.parse(readFileSync(file, 'utf8'))
    const entries = Object.entries(isRecord(read) ? read : {})
    return new Map(entries.filter((entry): entry is [string, FailedStart] => isRecent(entry[1], now)))
  } catch {
    return new Map()
  }
}

function isRecent(value: unknown, now: number): value is FailedStart {
  if (!isRecord(value) || typeof value.reason !== 'string' || typeof value.manifest !== 'string') return false
  return typeof value.at === 'number' && now - value.at < FORGOTTEN_AFTER_MS
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
