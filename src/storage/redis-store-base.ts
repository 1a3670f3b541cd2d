// The functions that the parts of a store in Redis share: its names, commands, reports and JSON texts.

import { parseJson } from '../core/parse-json.ts'
import { createOutage } from './outage.ts'
import { type OnProblem, reasonOf, StorageError } from './problem.ts'
import { type RedisConnection, RedisUnreachable } from './redis-connection.ts'
import { type EntryKeys, entryKeys } from './redis-keys.ts'
import type { StorePart } from './store.ts'

export interface RedisStoreBase {
  readonly connection: RedisConnection
  /** The names of the entries. */
  readonly names: EntryKeys
  /** `run` of the connection. A command that succeeds ends a reported outage. */
  readonly run: RedisConnection['run']
  /** `consequence` says how the store continues. */
  reportFailure(doing: 'read from' | 'write to', cause: unknown, consequence: string): void
  /** The JSON of a value. Undefined for an undefined value. Throws if the JSON is too long. */
  encode(key: string, value: unknown): string | undefined
}

/** The longest text of an entry. The longest entry that the gateway writes is one page of a long result. */
const MAX_VALUE_BYTES = 16 * 1024 * 1024

export function createRedisStoreBase(
  connection: RedisConnection,
  part: StorePart,
  onProblem: OnProblem,
): RedisStoreBase {
  const { prefix, shown } = connection.address
  const outage = createOutage(onProblem, Date.now)
  return {
    connection,
    names: entryKeys(prefix, part),
    async run(command) {
      const result = await connection.run(command)
      outage.worked()
      return result
    },
    reportFailure(doing, cause, consequence) {
      const isAway = cause instanceof RedisUnreachable
      const what = isAway ? cause.message : `Cannot ${doing} Redis at ${shown}: ${reasonOf(cause)}`
      const kind = doing === 'read from' ? 'unreadable' : 'unwritable'
      outage.failed({ kind, path: shown, message: `${what}. ${consequence}`, what, cause })
    },
    encode(key, value) {
      const text = value === undefined ? undefined : JSON.stringify(value)
      if (text !== undefined && Buffer.byteLength(text) > MAX_VALUE_BYTES) {
        const message = `The value of '${key.slice(0, 100)}' has more than ${MAX_VALUE_BYTES} bytes`
        throw new StorageError({ kind: 'bad-record', path: shown, message })
      }
      return text
    },
  }
}

/** A text that is not JSON is treated as missing. */
export function parseText(text: string | undefined): unknown {
  return text === undefined ? undefined : parseJson(text)
}
