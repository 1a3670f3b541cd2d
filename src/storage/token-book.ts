// The tokens that `toolcrib token add` made. The store keeps the hash of each token and its rights, never the token.

import { createHash, randomBytes } from 'node:crypto'
import { defined } from '../core/defined.ts'
import { errorOf, raise, ToolcribError } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'
import { isTime } from '../core/json.ts'
import { parseRights, type Rights } from '../core/rights.ts'
import { messageOf } from '../core/text.ts'
import { MAX_TIMER_MS } from '../core/waiting.ts'
import { StorageError } from './problem.ts'
import type { Store } from './store.ts'

interface TokenRecord {
  /** The name of the principal. */
  readonly name: string
  /** The SHA-256 hash of the token, in base64url. */
  readonly hash: string
  readonly rights?: Rights
  /** In milliseconds since 1970. */
  readonly createdAt: number
  /** In milliseconds since 1970. Absent: the token does not expire. */
  readonly expiresAt?: number
}

export type NewToken = Pick<TokenRecord, 'name' | 'rights' | 'expiresAt'>

/** A method that cannot read a token that it needs rejects with TOKENS_UNAVAILABLE. */
export interface TokenBook {
  /** Makes a token and returns it. Undefined if the name is taken. */
  add(token: NewToken): Promise<string | undefined>
  /** Sorted by name. */
  list(): Promise<readonly TokenRecord[]>
  /** False if the token does not exist. */
  revoke(name: string): Promise<boolean>
}

const KEY_PREFIX = 'token/'
/** A read rejects if a token cannot be read now, for example with too many open files: it must not count as revoked. */
const STRICT = { isStrict: true }
/** The start of every token. Scanners for leaked secrets find tokens by this text. */
const TOKEN_PREFIX = 'toolcrib_'
const TOKEN_BYTES = 32
const POLL_MS = 500
/**
 * After a failed read, and while the store is out of reach, it is read again after this time. A revoked token is
 * accepted until a read succeeds.
 */
const RETRY_MS = 1_000

/** False if `toolcrib token add` cannot have made this token. */
export function hasTokenPrefix(token: string): boolean {
  return token.startsWith(TOKEN_PREFIX)
}

export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

export function createTokenBook(store: Store, now: () => number = Date.now): TokenBook {
  return {
    add: ({ name, ...rest }) =>
      orUnavailable(async () => {
        if ((await readToken(store, KEY_PREFIX + name)) !== undefined) return undefined
        const token = `${TOKEN_PREFIX}${randomBytes(TOKEN_BYTES).toString('base64url')}`
        const hash = hashOfToken(token)
        await store.set(KEY_PREFIX + name, { hash, createdAt: now(), ...rest })
        // Two commands at the same time can both find the name free. The later one wins.
        return (await isStored(store, name, hash)) ? token : undefined
      }),
    list: () =>
      orUnavailable(async () => {
        const records = await readAll(store)
        return [...records.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
      }),
    revoke: (name) =>
      orUnavailable(async () => {
        if ((await store.get(KEY_PREFIX + name, STRICT)) === undefined) return false
        await store.delete(KEY_PREFIX + name)
        return true
      }),
  }
}

/**
 * Reads a new token again. If that fails, deletes the token, because the caller does not get it. If that fails too, the
 * error names the command that revokes the token.
 */
async function isStored(store: Store, name: string, hash: string): Promise<boolean> {
  const key = KEY_PREFIX + name
  try {
    return (await orUnavailable(() => readToken(store, key)))?.hash === hash
  } catch (error) {
    const isDeleted = await store.delete(key).then(
      () => true,
      () => false,
    )
    if (isDeleted || !(error instanceof ToolcribError)) throw error
    // `what` has the reason already.
    const unavailable = errorOf('TOKENS_UNAVAILABLE', { reason: error.what, mayBeStored: name })
    throw new ToolcribError('TOKENS_UNAVAILABLE', { ...unavailable, message: error.what })
  }
}

/** Runs `work`, and replaces its StorageError by TOKENS_UNAVAILABLE. */
async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StorageError) raise('TOKENS_UNAVAILABLE', { reason: error.message })
    throw error
  }
}

interface LiveOptions {
  /** Called with the name of each token that was revoked or replaced, or that expires. */
  onRevoked(name: string): void
  onProblem(error: unknown): void
}

/** Reads the tokens, and follows changes by other processes. A store without `watch` is read every 500 ms. */
export async function followTokens(store: Store, { onRevoked, onProblem }: LiveOptions) {
  let byHash: ReadonlyMap<string, TokenRecord> = new Map()
  let isStopped = false
  let hasBeenReached = false
  const expiry = createExpiryTimer(onRevoked)

  const apply = (records: ReadonlyMap<string, TokenRecord>) => {
    const before = byHash
    // A token that has not changed stays the same object, because views are cached by its rights.
    byHash = new Map([...records.values()].map((record) => [record.hash, keepIfSame(before.get(record.hash), record)]))
    for (const [hash, record] of before) if (byHash.get(hash) !== record) onRevoked(record.name)
    expiry.follow(byHash.values())
  }
  // The store is read by one call at a time: an earlier answer must not replace a later one.
  let last: Promise<void> = Promise.resolve()
  let isQueued = false
  let retry: NodeJS.Timeout | undefined
  /** The last error. The same error is reported once, until a read succeeds. */
  let failure: string | undefined
  const readAgain = () => {
    clearTimeout(retry)
    retry = setTimeout(read, RETRY_MS).unref()
  }
  const read = () => {
    if (isQueued || isStopped) return
    isQueued = true
    last = last
      .then(async () => {
        isQueued = false
        const wasDegraded = store.isDegraded?.() === true
        const records = await readAll(store)
        if (!isStopped) apply(records)
        // A store that is out of reach returns the last known entries: none, if it has never been reached.
        if (wasDegraded || store.isDegraded?.() === true) readAgain()
        else hasBeenReached = true
        failure = undefined
      })
      .catch(async (error: unknown) => {
        if (messageOf(error) !== failure) onProblem(error)
        failure = messageOf(error)
        readAgain()
        // A StorageError can be about the file of one token. The other tokens are then still read.
        if (!(error instanceof StorageError)) return
        const records = await readPossible(store, byHash.values())
        if (!isStopped) apply(records)
      })
      .catch(() => {})
  }
  const stopWatching = store.watch?.(KEY_PREFIX, read) ?? poll(read)
  read()
  await last
  return {
    /** Undefined for an unknown token. Also returns a token that has expired. */
    find: (hash: string) => byHash.get(hash),
    get size() {
      return byHash.size
    },
    /** The names of the tokens that have not expired, sorted. */
    names: () =>
      [...byHash.values()]
        .filter(({ expiresAt }) => expiresAt === undefined || expiresAt > Date.now())
        .map(({ name }) => name)
        .toSorted(),
    /** False until all tokens have been read from the store once. Until then, `find` may miss tokens. */
    get hasBeenReached() {
      return hasBeenReached
    },
    stop() {
      isStopped = true
      clearTimeout(retry)
      expiry.stop()
      stopWatching()
    },
  }
}

function poll(read: () => void): () => void {
  const timer = setInterval(read, POLL_MS).unref()
  return () => clearInterval(timer)
}

function keepIfSame(before: TokenRecord | undefined, now: TokenRecord): TokenRecord {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(now) ? before : now
}

/** Rejects if the file of a token, or the folder of the tokens, exists and cannot be read. */
async function readAll(store: Store): Promise<ReadonlyMap<string, TokenRecord>> {
  const records = new Map<string, TokenRecord>()
  for await (const key of store.keys(KEY_PREFIX, STRICT)) {
    const record = await readToken(store, key)
    if (record !== undefined) records.set(record.name, record)
  }
  return records
}

/** Reads the tokens as far as possible. Those of `known` that cannot be read now stay as they are. */
async function readPossible(store: Store, known: Iterable<TokenRecord>): Promise<ReadonlyMap<string, TokenRecord>> {
  const records = new Map([...known].map((record) => [record.name, record]))
  const names = new Set(records.keys())
  for await (const key of store.keys(KEY_PREFIX)) names.add(key.slice(KEY_PREFIX.length))
  for (const name of names) {
    try {
      const record = await readToken(store, KEY_PREFIX + name)
      if (record === undefined) records.delete(name)
      else records.set(name, record)
    } catch {
      // The first read has reported the problem.
    }
  }
  return records
}

/** Undefined for an entry of another form, because a token with unknown rights gives no access. */
async function readToken(store: Store, key: string): Promise<TokenRecord | undefined> {
  const stored = await store.get(key, STRICT)
  if (!isRecord(stored) || typeof stored.hash !== 'string' || !isTime(stored.createdAt)) return undefined
  const { hash, createdAt, expiresAt } = stored
  const rights = stored.rights === undefined ? undefined : parseRights(stored.rights)
  if (stored.rights !== undefined && rights === undefined) return undefined
  if (expiresAt !== undefined && !isTime(expiresAt)) return undefined
  return defined({ name: key.slice(KEY_PREFIX.length), hash, createdAt, rights, expiresAt })
}

type Expiring = Pick<TokenRecord, 'name' | 'expiresAt'>

/** Calls `onExpired` when a named entry expires. All entries share one timer, which does not keep the process alive. */
export function createExpiryTimer(onExpired: (name: string) => void) {
  let waiting: readonly Required<Expiring>[] = []
  let timer: NodeJS.Timeout | undefined
  const arm = () => {
    clearTimeout(timer)
    if (waiting.length === 0) return
    const nextAt = waiting.reduce((least, { expiresAt }) => Math.min(least, expiresAt), Number.POSITIVE_INFINITY)
    // If the time is longer than a timer can wait, the timer is set again.
    timer = setTimeout(expire, Math.min(Math.max(0, nextAt - Date.now()), MAX_TIMER_MS)).unref()
  }
  const expire = () => {
    const now = Date.now()
    const expired = waiting.filter(({ expiresAt }) => expiresAt <= now)
    waiting = waiting.filter(({ expiresAt }) => expiresAt > now)
    arm()
    for (const { name } of expired) onExpired(name)
  }
  return {
    /** Replaces the entries. An entry that has already expired is ignored. */
    follow(entries: Iterable<Expiring>): void {
      const now = Date.now()
      waiting = [...entries].flatMap(({ name, expiresAt }) =>
        expiresAt !== undefined && expiresAt > now ? [{ name, expiresAt }] : [],
      )
      arm()
    },
    stop(): void {
      waiting = []
      clearTimeout(timer)
    },
  }
}
