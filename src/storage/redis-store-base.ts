// The functions that the parts of a store in Redis share: its names, commands, reports and JSON texts.

import type { Redis } from 'ioredis'
import { parseJson } from '../core/json.ts'
import { createOutage, type OnProblem, reasonOf, StorageError } from './problem.ts'
import { type RedisConnection, RedisUnreachable } from './redis-connection.ts'
import type { StorePart } from './store.ts'

export type RedisStoreBase = ReturnType<typeof createRedisStoreBase>

/** The longest text of an entry. The longest entry that the gateway writes is one page of a long result. */
const MAX_VALUE_BYTES = 16 * 1024 * 1024

export function createRedisStoreBase(connection: RedisConnection, part: StorePart, onProblem: OnProblem) {
  const { prefix, shown } = connection.address
  const outage = createOutage(onProblem, Date.now)
  return {
    connection,
    names: entryKeys(prefix, part),
    /** `run` of the connection. A command that succeeds ends a reported outage. */
    async run<T>(command: (redis: Redis) => Promise<T>): Promise<T> {
      const result = await connection.run(command)
      outage.worked()
      return result
    },
    /** `consequence` says how the store continues. */
    reportFailure(doing: 'read from' | 'write to', cause: unknown, consequence: string): void {
      const isAway = cause instanceof RedisUnreachable
      const what = isAway ? cause.message : `Cannot ${doing} Redis at ${shown}: ${reasonOf(cause)}`
      const kind = doing === 'read from' ? 'unreadable' : 'unwritable'
      outage.failed({ kind, path: shown, message: `${what}. ${consequence}`, what, cause })
    },
    /** The JSON of a value. Undefined for an undefined value. Throws if the JSON is too long. */
    encode(key: string, value: unknown): string | undefined {
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

/** The version of the layout of names, which are `<prefix>:<version>:<part>:<key>`. */
const LAYOUT = 1
/** Ends the group of a key. Each group has its own channel: a watcher receives only groups that its prefix matches. */
const SEPARATOR = /[/:]/

/** The names of the entries of a part in Redis, and the channels of their changes. */
export function entryKeys(prefix: string, part: string) {
  const start = `${prefix}:${LAYOUT}:${part}:`
  const channels = `${prefix}:${LAYOUT}:changed:${part}:`
  const groupOf = (key: string) => escapeUnits(key.slice(0, key.search(SEPARATOR)))
  return {
    toName: (key: string) => start + escapeUnits(key),
    /** Undefined for a name that is not an entry of this part. */
    toKey: (name: string) => (name.startsWith(start) ? unescapeUnits(name.slice(start.length)) : undefined),
    /** A pattern for SCAN. It can match other keys too, if the prefix ends with half a surrogate pair. */
    pattern: (wanted: string) => `${escapeGlob(start + escapeUnits(wholeCharacters(wanted)))}*`,
    /** The channel on which changes of the key are published. A key without a separator is a group of its own. */
    channelOf: (key: string) => channels + (SEPARATOR.test(key) ? groupOf(key) : escapeUnits(key)),
    /** The channel, or the pattern of channels, on which all changes of keys with this prefix are published. */
    channelsFor: (wanted: string) =>
      SEPARATOR.test(wanted)
        ? { channel: channels + groupOf(wanted), isPattern: false }
        : { channel: `${escapeGlob(channels + escapeUnits(wholeCharacters(wanted)))}*`, isPattern: true },
  }
}

/** The channel of messages from one gateway to others. */
export function topicChannel(prefix: string, topic: string): string {
  return `${prefix}:${LAYOUT}:topic:${escapeUnits(topic)}`
}

const LONE_SURROGATE_OR_PERCENT = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|%/g

// UTF-8 cannot represent half a surrogate pair. The escapes keep different keys different.
function escapeUnits(text: string): string {
  return text.replace(LONE_SURROGATE_OR_PERCENT, (unit) => `%${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function unescapeUnits(text: string): string {
  return text.replace(/%([0-9a-f]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** Removes half a surrogate pair at the end, because the other half may follow in the key. */
function wholeCharacters(prefix: string): string {
  return /[\ud800-\udbff]$/.test(prefix) ? prefix.slice(0, -1) : prefix
}

function escapeGlob(text: string): string {
  return text.replace(/[*?[\]\\^]/g, '\\$&')
}
