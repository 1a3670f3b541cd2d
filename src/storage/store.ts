// The interface of stores, and `defineStore`. A store keeps small pieces of state that outlive one request.

import { checkPlugin, isPlugin } from '../core/plugin.ts'
import type { OnProblem } from './problem.ts'

/** Small pieces of state that outlive one request: enabled tools, the context of a session, usage counts. */
export interface Store {
  /**
   * Undefined if the entry does not exist or has expired. If the caller changes the returned value, the entry stays the
   * same.
   */
  get(key: string, options?: StoreReadOptions): Promise<unknown>
  /** Stores a value that JSON can represent. The entry expires after `ttlMs` milliseconds; by default never. */
  set(key: string, value: unknown, options?: { readonly ttlMs?: number }): Promise<void>
  /** Does nothing if there is no such entry. */
  delete(key: string): Promise<void>
  /** The keys of all entries with this prefix, in any order. */
  keys(prefix: string, options?: StoreReadOptions): AsyncIterable<string>
  /**
   * Calls the listener with the key after each `set` and `delete` of a key with this prefix, in any process that shares
   * the store. Several changes of one key in quick succession may be reported once. A key equal to the prefix can also
   * mean that changes were missed, for example while the store was out of reach: read all keys with the prefix again.
   * An entry that expires is not reported. The returned function ends the watch. Built-in stores have `watch`. The
   * users of a store without it must poll.
   */
  watch?(prefix: string, listener: (key: string) => void): () => void
  /**
   * Atomically replaces a value with the result of `change`, which may run several times. The result `undefined`
   * deletes the entry. If `change` returns its argument, nothing is written. Redis and memory only.
   */
  update?(key: string, change: (value: unknown) => unknown, options?: { readonly ttlMs?: number }): Promise<void>
  /**
   * Runs `work` while no other process runs work under the same name. A lock only avoids duplicate work: after
   * `waitMs`, or if the store is out of reach, `work` runs without it. A strict lock rejects instead. Redis only.
   */
  lock?<T>(name: string, options: StoreLockOptions, work: () => Promise<T>): Promise<T>
  /** Appends lines to a log of all processes, which keeps about `maxLines` lines. Rejects on failure. Redis only. */
  appendTo?(log: string, lines: readonly string[], maxLines: number): Promise<void>
  /** The lines that `appendTo` wrote to a log, the oldest first. Redis only. */
  readLog?(log: string): AsyncIterable<string>
  /** Sends a message to all listeners of the topic, and returns their number. Rejects on failure. Redis only. */
  send?(topic: string, message: unknown): Promise<number>
  /** Calls the listener with each message of a topic. The returned function removes the listener. Redis only. */
  listen?(topic: string, listener: (message: unknown) => void): () => void
  /** Limits that all processes share. Redis only. */
  readonly limits?: StoreLimits
  /** True if processes on several machines share the entries. A gateway then follows the changes of the others. */
  readonly isShared?: boolean
  /** True while the store is out of reach and returns the last known state. */
  isDegraded?(): boolean
  [Symbol.asyncDispose](): Promise<void>
}

/** How a read treats an entry that exists and cannot be read. An entry with damaged content counts as missing. */
interface StoreReadOptions {
  /** Rejects with a StorageError. Default: the problem is reported and the entry counts as missing. File store only. */
  readonly isStrict?: boolean
}

/** How long to wait for a lock, and when it expires if its holder does not release it. */
interface StoreLockOptions {
  /** How long to wait for the lock, in milliseconds. */
  readonly waitMs: number
  /** The lock expires after this time, in milliseconds. */
  readonly ttlMs: number
  /** Rejects with StoreLockFailed if the lock cannot be taken. */
  readonly isStrict?: boolean
  /** Ends the wait. */
  readonly signal?: AbortSignal
}

/** A strict lock could not be taken in time, or the store is out of reach. */
export class StoreLockFailed extends Error {
  override readonly name = 'StoreLockFailed'
}

/** Limits that all processes share. Every method rejects while the store is out of reach. */
export interface StoreLimits {
  /** Takes one of `limit` calls per `windowMs`. Returns 0, or the time in ms until the next call is possible. */
  take(key: string, limit: number, windowMs: number): Promise<number>
  /** Takes one of `limit` slots for the holder, or renews its slot, for `ttlMs`. Returns false if none is free. */
  enter(key: string, holder: string, limit: number, ttlMs: number): Promise<boolean>
  /** Gives up the slot of the holder. */
  leave(key: string, holder: string): Promise<void>
}

/**
 * The stores of a gateway. `state`: call counts and what users have enabled. `manifests`: the tool lists of servers.
 * `results`: the rest of results that were cut. `tokens`: the hashes of the tokens of clients, and their rights.
 * `logins`: the encrypted logins at servers, only if gateways share the store.
 */
export type StorePart = 'state' | 'manifests' | 'results' | 'tokens' | 'logins'

/** The argument of `open` of a store plugin: the part of the state, and where to keep it. */
export interface StoreOpenOptions {
  /** The entries of different parts must be kept apart: the same key may occur in two of them. */
  readonly part: StorePart
  /** A folder on this machine for this part. It may not exist yet. */
  readonly dir: string
  /** Reports a problem after which the store continues. */
  readonly onProblem?: OnProblem
  /** The address in the config, for a store that is chosen by the scheme of its address. */
  readonly url?: string
}

/** A kind of store that `store` in the config can choose. */
export interface StorePlugin {
  /** `store` in a config chooses the store by this name, unless the store has `schemes`. */
  readonly name: string
  /** The schemes of addresses that choose this store, such as `redis:`. */
  readonly schemes?: readonly string[]
  /** Called before the first use. Raises if the store cannot work, for example with a wrong password. */
  check?(url?: string): Promise<void>
  /** Opens the store of one part. The store should connect at its first use, because some commands never use it. */
  open(options: StoreOpenOptions): Store
  /** The path of the file of an entry, which any process can compare and read. File store only. */
  addressOf?(options: Pick<StoreOpenOptions, 'part' | 'dir'>, key: string): string
}

/**
 * Checks a kind of store and returns it.
 *
 * @example
 * ```ts
 * const perProcess = defineStore({ name: 'per-process', open: () => createMemoryStore() })
 * ```
 */
export function defineStore(plugin: StorePlugin): StorePlugin {
  return checkPlugin(plugin, {
    what: 'store',
    method: 'open',
    todo: "Give { name: 'my-store', open: ({ part }) => ({ get, set, delete, keys, [Symbol.asyncDispose] }) }.",
  })
}

export function isStorePlugin(value: unknown): value is StorePlugin {
  return isPlugin(value, 'open')
}
