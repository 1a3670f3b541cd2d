// The answer of a strategy's tool, and parts of it: pages, and the sources that are missing from it.

import { type CommandResult, success } from '../core/result.ts'
import { quoteList } from '../core/text.ts'
import type { SourceView } from './view.ts'

/**
 * Returns the data as one block of compact JSON. A note that is not empty is a second block and never inside the data,
 * because clients rely on the form of the data.
 */
export function answer(data: unknown, note: Readonly<Record<string, unknown>> = {}): CommandResult {
  const hasNote = Object.keys(note).length > 0
  const blocks = hasNote ? [data, note] : [data]
  return success(data, {
    ...(hasNote ? { metadata: note } : {}),
    wire: { content: blocks.map((block) => ({ type: 'text' as const, text: JSON.stringify(block) })) },
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

const MAX_NAMES = 5

/** Names the sources without tools that are starting or failed, so that an answer does not look complete. */
export function describeUnlistedSources(sources: readonly SourceView[]): string | undefined {
  const [starting, failed] = [idsWithoutTools(sources, 'starting'), idsWithoutTools(sources, 'failed')]
  const reasons = [
    ...(starting.length === 0 ? [] : [`Still starting: ${quoteList(starting, MAX_NAMES)}; ask again in a moment.`]),
    ...(failed.length === 0 ? [] : [`Could not be started: ${quoteList(failed, MAX_NAMES)}.`]),
  ]
  return reasons.length === 0 ? undefined : reasons.join(' ')
}

/** For an answer with results: the servers that are still starting, because their tools are missing from it. */
export function stillStarting(sources: readonly SourceView[]): { readonly starting?: readonly string[] } {
  const names = idsWithoutTools(sources, 'starting')
  return names.length === 0 ? {} : { starting: firstFew(names) }
}

/** For an answer without results: the servers that could not be started. */
export function notStarted(sources: readonly SourceView[]): { readonly failed?: readonly string[] } {
  const names = idsWithoutTools(sources, 'failed')
  return names.length === 0 ? {} : { failed: firstFew(names) }
}

function firstFew(names: readonly string[]): readonly string[] {
  const more = names.length - MAX_NAMES
  return [...names.slice(0, MAX_NAMES), ...(more > 0 ? [`+${more} more`] : [])]
}

function idsWithoutTools(sources: readonly SourceView[], state: SourceView['state']): readonly string[] {
  return sources.filter((source) => source.state === state && (source.toolCount ?? 0) === 0).map(({ id }) => id)
}
