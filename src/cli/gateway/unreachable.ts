// Finds the servers that cannot be started now: a variable is not set, or a start failed in the last 10 minutes.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord } from '../../core/is-record.ts'
import type { SourceView } from '../../disclosure/view.ts'
import type { Environment } from '../../setup/environment.ts'
import type { SourceInfo } from '../../sources/source.ts'
import type { Unreachable } from '../output/error-for-people.ts'
import type { Startable } from './served-config.ts'
import { describeUnset, explainUnset, howToSet, type SecretsPlace, unsetNamesOf } from './server-variables.ts'

/** The reasons why servers cannot be started, by the name of the server. */
export type Unreached = ReadonlyMap<string, Unreachable>

interface FailedStart extends Unreachable {
  readonly at: number
}

type ListedSource = Pick<SourceView, 'id' | 'listedAt'>

const FAILURE_TTL_MS = 10 * 60_000

export function failuresFile(cacheDir: string): string {
  return join(cacheDir, 'unreachable.json')
}

/** Failed starts of the last minutes, unless the server has listed its tools since, see `sources`. */
export function recentFailures(
  { cacheDir }: Pick<Environment, 'cacheDir'>,
  servers: readonly Pick<Startable, 'id' | 'key'>[],
  sources: readonly ListedSource[] = [],
): Unreached {
  const listed = new Map(sources.map(({ id, listedAt = 0 }) => [id, listedAt]))
  const failed = readFailures(failuresFile(cacheDir), Date.now())
  return new Map(
    servers.flatMap(({ id, key }) => {
      const failure = failed.get(key)
      if (failure === undefined) return []
      const { at, reason, loginCommand } = failure
      return (listed.get(id) ?? 0) < at
        ? [[id, loginCommand === undefined ? { reason } : { reason, loginCommand }]]
        : []
    }),
  )
}

/** Returns the failures by manifest key. An absent or damaged file counts as empty. */
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
  if (!isRecord(value) || typeof value.reason !== 'string') return false
  if (value.loginCommand !== undefined && typeof value.loginCommand !== 'string') return false
  return typeof value.at === 'number' && now - value.at < FAILURE_TTL_MS
}

/**
 * Returns the servers that a command does not start. With `isPatient`, the command also starts servers that failed in
 * the last minutes.
 */
export function notStartable(
  servers: readonly Startable[],
  environment: Pick<Environment, 'cacheDir' | 'env'> & SecretsPlace,
  isPatient: boolean,
): Unreached {
  const failed: Unreached = isPatient ? new Map() : recentFailures(environment, servers)
  // A server with an unset variable is not started: it would fail, and without a start the cache can answer.
  const unset = servers.flatMap((server): [string, Unreachable][] => {
    const names = unsetNamesOf(server, environment.env)
    if (names.length === 0) return []
    return [[server.id, { reason: `${describeUnset(names, environment)}; ${howToSet(names, environment)}` }]]
  })
  return new Map([...failed, ...unset])
}

/** The state of a server, with the reason if it would not start now. */
export type ServerCondition = Pick<SourceInfo, 'state' | 'reason'> & Pick<Unreachable, 'loginCommand'>

/** The servers that would not start now, with the state and the reason that `list` shows. */
export function unusableServers(
  environment: Pick<Environment, 'cacheDir' | 'env'> & SecretsPlace,
  servers: readonly Startable[],
  sources: readonly ListedSource[],
): ReadonlyMap<string, ServerCondition> {
  const failures = recentFailures(environment, servers, sources)
  return new Map(
    servers.flatMap((server) => {
      const unset = explainUnset(unsetNamesOf(server, environment.env), environment)
      const failure = unset === undefined ? failures.get(server.id) : { reason: unset }
      return failure === undefined ? [] : [[server.id, { state: 'failed', ...failure }] as const]
    }),
  )
}
