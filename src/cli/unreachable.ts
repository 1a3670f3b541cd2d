// Servers that could not be asked a moment ago: a search does not try them again.

import { join } from 'node:path'
import { createFileStore } from '../storage/file.ts'
import type { Environment } from './environment.ts'

interface Unasked {
  readonly id: string
  /** Of its manifest. */
  readonly key: string
}

const FORGOTTEN_AFTER_MS = 10 * 60_000

/** Why, by server. */
export async function recentFailures(
  environment: Pick<Environment, 'cacheDir'>,
  servers: readonly Unasked[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  if (servers.length === 0) return found
  const store = failuresIn(environment)
  for (const { id, key } of servers) {
    const reason = await store.get(key)
    if (typeof reason === 'string') found.set(id, reason)
  }
  return found
}

export async function rememberFailures(
  environment: Pick<Environment, 'cacheDir'>,
  servers: readonly Unasked[],
  reasons: ReadonlyMap<string, string>,
): Promise<void> {
  const store = failuresIn(environment)
  for (const { id, key } of servers) {
    const reason = reasons.get(id)
    if (reason !== undefined) await store.set(key, reason, { ttlMs: FORGOTTEN_AFTER_MS })
  }
  await store[Symbol.asyncDispose]()
}

function failuresIn({ cacheDir }: Pick<Environment, 'cacheDir'>) {
  return createFileStore({ dir: join(cacheDir, 'unreachable') })
}
