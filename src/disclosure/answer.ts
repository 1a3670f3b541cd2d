// Builds the answer of a strategy's tool: one block of compact JSON, and a second block if there is a note.

import { type CommandResult, success } from '../core/result.ts'

/** `note` is its own block and never inside the data, because clients rely on the form of the data. */
export function answer(data: unknown, note?: Readonly<Record<string, unknown>>): CommandResult {
  const parts = note === undefined ? [data] : [data, note]
  return success(data, {
    ...(note === undefined ? {} : { metadata: note }),
    wire: { content: parts.map((part) => ({ type: 'text' as const, text: JSON.stringify(part) })) },
  })
}

/** The total and the offset of the next page. Undefined if this page is the last one or is empty. */
export function restOf(page: { readonly offset: number; readonly shown: number; readonly total: number }) {
  const nextOffset = page.offset + page.shown
  return nextOffset < page.total && page.shown > 0 ? { total: page.total, nextOffset } : undefined
}

/** The reason for an empty page: the offset is too large. */
export function pastTheEnd(total: number, noun = 'tool'): string {
  return `The offset is past the last of ${total} ${total === 1 ? noun : `${noun}s`}.`
}
