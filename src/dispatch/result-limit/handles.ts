// Keeps long texts for a limited time, in memory or in the store, so that a caller can read the rest of a cut result.

import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Store } from '../../storage/store.ts'
import type { Layout } from './cut.ts'

export interface HandlesOptions {
  /** Holds the texts that do not fit into memory. If it is shared, it holds all texts, for the other gateways. */
  readonly store: Store
  /** The maximum number of kept texts. The oldest is dropped first. */
  readonly maxHandles: number
  /** The limit for all texts together. A text that exceeds it alone is not kept. */
  readonly maxHandleBytes: number
  /** The part of `maxHandleBytes` that may be in memory. */
  readonly memoryBytes: number
  readonly ttlMs: number
  readonly now: () => number
}

export interface Handles {
  /** Returns the handle, or undefined if the text could not be kept. */
  keep(text: string, layout: Layout, owner: string): Promise<string | undefined>
  /**
   * Returns undefined for an unknown, expired or foreign handle, so that a caller cannot test if a foreign handle
   * exists.
   */
  open(handle: string, owner: string): Promise<KeptText | undefined>
  [Symbol.asyncDispose](): Promise<void>
}

export interface KeptText {
  /** The hash of the owner. */
  readonly owner: string
  readonly layout: Layout
  readonly length: number
  /** Resolves with undefined if a page is missing. */
  slice(from: number, to: number): Promise<string | undefined>
}

interface Entry {
  readonly bytes: number
  readonly length: number
  readonly expiresAt: number
  /** Absent once the text is in the store. */
  inMemory?: KeptText
}

/** How long `open` waits for a text that another gateway has not written yet. It is short, because the client waits. */
const LATE_MS = 1_200
const RETRY_MS = 50
/** After an outage of the store, another gateway needs this time to write the texts that it holds. */
const SETTLE_MS = 2_000

/** A text in the store is divided into pages, so that reading a part does not load the whole text. */
const PAGE_CHARS = 1_048_576

const storedHead = z.object({
  owner: z.string(),
  length: z.int().min(1),
  ends: z.array(z.number()),
  isJson: z.boolean(),
})

export function createHandles(options: HandlesOptions): Handles {
  const { store, maxHandles, maxHandleBytes, ttlMs, now } = options
  // Other gateways that share the store must be able to read every text, so no text stays in memory only.
  const memoryBytes = store.isShared === true ? 0 : options.memoryBytes
  // A Map keeps insertion order: the first entry is the oldest.
  const entries = new Map<string, Entry>()
  const shared = createStoreReader(store, now)
  let moving: Promise<void> = Promise.resolve()

  // A text that is being written is deleted by `moveToStore`. If deleting fails, the store removes the text when it
  // expires.
  const erase = async (id: string, { inMemory, length }: Entry) => {
    if (inMemory === undefined) await deleteText(store, id, length).catch(() => {})
  }

  /** Synchronous, so that texts that arrive at the same time do not use the same free space. */
  const evictFor = (bytes: number): readonly (readonly [string, Entry])[] => {
    const evicted: (readonly [string, Entry])[] = []
    for (const [id, entry] of entries) {
      const isFull = entries.size >= maxHandles || total(entries.values()) + bytes > maxHandleBytes
      if (!isFull && entry.expiresAt > now()) continue
      entries.delete(id)
      evicted.push([id, entry])
    }
    return evicted
  }

  const moveToStore = async (id: string, entry: Entry, text: KeptText) => {
    const isWritten = await writeText(store, id, text, entry.expiresAt - now()).then(
      () => true,
      () => false,
    )
    delete entry.inMemory
    if (isWritten && entries.get(id) === entry) return
    if (entries.get(id) === entry) entries.delete(id)
    await erase(id, entry)
  }

  const moveOldest = async () => {
    for (const [id, entry] of entries) {
      if (total([...entries.values()].filter((one) => one.inMemory !== undefined)) <= memoryBytes) return
      if (entry.inMemory !== undefined) await moveToStore(id, entry, entry.inMemory)
    }
  }

  return {
    async keep(text, layout, owner) {
      shared.watch()
      const bytes = Buffer.byteLength(text)
      if (bytes > maxHandleBytes) return undefined
      const evicted = evictFor(bytes)
      const id = randomBytes(16).toString('base64url')
      const inMemory = textInMemory(hashOf(owner), text, layout)
      entries.set(id, { bytes, length: text.length, expiresAt: now() + ttlMs, inMemory })
      // Texts move one after the other, and the call waits: memory must not fill up if the store is slow.
      moving = moving.then(moveOldest)
      await moving
      for (const [gone, entry] of evicted) await erase(gone, entry)
      return entries.has(id) ? id : undefined
    },
    async open(handle, owner) {
      if (!/^[\w-]{1,64}$/.test(handle)) return undefined
      shared.watch()
      const entry = entries.get(handle)
      if (entry !== undefined && entry.expiresAt <= now()) return undefined
      const kept = entry?.inMemory ?? (await shared.find(handle))
      return kept?.owner === hashOf(owner) ? kept : undefined
    },
    async [Symbol.asyncDispose]() {
      await moving
      entries.clear()
    },
  }
}

function createStoreReader(store: Store, now: () => number) {
  let degradedAt = Number.NEGATIVE_INFINITY
  /** Notices an outage of the store. Must be called regularly. */
  const watch = () => {
    if (store.isDegraded?.() === true) degradedAt = now()
  }
  return {
    watch,
    /** Reads a text that this gateway or another one has written. */
    async find(id: string): Promise<KeptText | undefined> {
      const until = performance.now() + LATE_MS
      for (;;) {
        const kept = await openText(store, id).catch(() => undefined)
        watch()
        const isSettled = now() - degradedAt >= SETTLE_MS
        if (kept !== undefined || isSettled || performance.now() >= until) return kept
        await sleep(RETRY_MS)
      }
    },
  }
}

function total(entries: Iterable<Entry>): number {
  let bytes = 0
  for (const entry of entries) bytes += entry.bytes
  return bytes
}

/** Hashes the owner, because it can be a secret session id and is written to disk. */
function hashOf(owner: string): string {
  return createHash('sha256').update(owner).digest('hex').slice(0, 32)
}

export function textInMemory(owner: string, text: string, layout: Layout): KeptText {
  return { owner, layout, length: text.length, slice: async (from, to) => text.slice(from, to) }
}

export async function writeText(store: Store, id: string, kept: KeptText, ttlMs: number): Promise<void> {
  const { owner, length, layout } = kept
  for (let page = 0; page * PAGE_CHARS < length; page++) {
    const text = await kept.slice(page * PAGE_CHARS, (page + 1) * PAGE_CHARS)
    await store.set(pageKey(id, page), text, { ttlMs })
  }
  // The head is written last, so that it is never in the store before its pages.
  await store.set(headKey(id), { owner, length, ...layout }, { ttlMs })
}

export async function openText(store: Store, id: string): Promise<KeptText | undefined> {
  const head = storedHead.safeParse(await store.get(headKey(id)))
  if (!head.success) return undefined
  const { owner, length, ends, isJson } = head.data
  return {
    owner,
    layout: { ends, isJson },
    length,
    async slice(from, to) {
      const first = Math.floor(from / PAGE_CHARS)
      const pages: string[] = []
      for (let page = first; page * PAGE_CHARS < Math.min(to, length); page++) {
        const text = await store.get(pageKey(id, page))
        if (typeof text !== 'string') return undefined
        pages.push(text)
      }
      return pages.join('').slice(from - first * PAGE_CHARS, to - first * PAGE_CHARS)
    },
  }
}

export async function deleteText(store: Store, id: string, length: number): Promise<void> {
  await store.delete(headKey(id))
  for (let page = 0; page * PAGE_CHARS < length; page++) await store.delete(pageKey(id, page))
}

function headKey(id: string): string {
  return `result/${id}`
}

function pageKey(id: string, page: number): string {
  return `result/${id}/${page}`
}
