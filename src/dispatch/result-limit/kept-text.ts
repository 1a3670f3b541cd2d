// Stores a long text in pages, so that reading a part does not load the whole text.

import { z } from 'zod'
import type { Store } from '../../storage/store.ts'
import type { Layout } from './cut.ts'

export interface KeptText {
  /** A hash of the owner, because the owner can be a secret session id and this value is written to disk. */
  readonly owner: string
  readonly layout: Layout
  readonly length: number
  /** Resolves with undefined if a page is missing. */
  slice(from: number, to: number): Promise<string | undefined>
}

const PAGE_CHARS = 1_048_576

const storedHead = z.object({
  owner: z.string(),
  length: z.int().min(1),
  ends: z.array(z.number()),
  isJson: z.boolean(),
})

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
