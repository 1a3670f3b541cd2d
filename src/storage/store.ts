// The store seam: small pieces of state (a session's context, an enabled set, usage) that outlive one request.

import { raise } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'
import type { OnProblem } from './problem.ts'

/** Small pieces of state that outlive one request: enabled tools, the context of a session, usage counts. */
export interface Store {
  get(key: string): Promise<unknown>
  set(key: string, value: unknown, options?: { readonly ttlMs?: number }): Promise<void>
  delete(key: string): Promise<void>
  keys(prefix: string): AsyncIterable<string>
  /**
   * Calls the listener with the key after each `set` and `delete` of a key with this prefix, in any process that shares
   * the store. Several changes of one key in quick succession may be reported once. A key equal to the prefix can also
   * mean that changes were missed, for example while the store was out of reach: read all keys with the prefix again. An
   * entry that expires is not reported. The returned function ends the watch. Built-in stores have this function; a
   * store without it must be read again by those who use it.
   */
  watch?(prefix: string, listener: (key: string) => void): () => void
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * The three stores of a gateway. `state`: call counts and what users have enabled. `manifests`: the tool lists of servers.
 * `results`: the rest of results that were cut.
 */
export type StorePart = 'state' | 'manifests' | 'results'

/** The part of the state that a store is opened for, and its folder. */
export interface StorePlace {
  /** The entries of different parts must be kept apart: the same key may occur in two of them. */
  readonly part: StorePart
  /** A folder on this machine for this part. It may not exist yet. */
  readonly dir: string
  /** Reports a problem after which the store continues. */
  readonly onProblem?: OnProblem
}

/** A kind of store with the name that `store` in the config accepts. */
export interface StorePlugin {
  readonly name: string
  /** Opens the store of one part. It connects at the first use, because some commands never use it. */
  open(place: StorePlace): Store
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
  const fault = findStoreFault(plugin)
  if (fault === undefined) return plugin
  return raise('INVALID_OPTIONS', {
    what: 'store',
    reason: fault,
    todo: "Give { name: 'my-store', open: ({ part }) => ({ get, set, delete, keys, [Symbol.asyncDispose] }) }.",
  })
}

export function isStorePlugin(value: unknown): value is StorePlugin {
  return findStoreFault(value) === undefined
}

function findStoreFault(value: unknown): string | undefined {
  if (!isRecord(value)) return 'it is not an object'
  if (typeof value.name !== 'string' || value.name === '') return 'it has no name'
  return typeof value.open === 'function' ? undefined : 'it has no function open'
}
