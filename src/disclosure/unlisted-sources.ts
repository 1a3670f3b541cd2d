// Names the sources without tools that are starting or failed, so that an answer does not look complete.

import { quoteList } from '../core/text.ts'
import type { SourceView } from './view.ts'

const MAX_NAMES = 5

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
