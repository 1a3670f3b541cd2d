// What a tool of a strategy answers: one block of compact JSON, and a second only for what the first leaves out.

import { type CommandResult, success } from '../core/result.ts'

/** `note` stands beside the data and never in it: the form of the data is what clients rely on. */
export function answer(data: unknown, note?: Readonly<Record<string, unknown>>): CommandResult {
  const parts = note === undefined ? [data] : [data, note]
  return success(data, {
    ...(note === undefined ? {} : { metadata: note }),
    wire: { content: parts.map((part) => ({ type: 'text' as const, text: JSON.stringify(part) })) },
  })
}

/** What is left after a page; undefined where nothing is. */
export function restOf(page: { readonly offset: number; readonly shown: number; readonly total: number }) {
  const nextOffset = page.offset + page.shown
  return nextOffset < page.total && page.shown > 0 ? { total: page.total, nextOffset } : undefined
}
