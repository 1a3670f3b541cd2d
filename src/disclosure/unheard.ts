// The sources of which nothing is known, in words: an empty answer must not look like "there is nothing".

import { quoteList } from '../core/text.ts'
import type { SourceView } from './view.ts'

const MAX_NAMES = 5

export function describeUnheard(sources: readonly SourceView[]): string | undefined {
  const silent = sources.filter(({ toolCount }) => toolCount === 0)
  const named = (state: string) => silent.filter((source) => source.state === state).map(({ id }) => id)
  const [starting, failed] = [named('starting'), named('failed')]
  const reasons = [
    ...(starting.length === 0 ? [] : [`Still starting: ${quoteList(starting, MAX_NAMES)}; ask again in a moment.`]),
    ...(failed.length === 0 ? [] : [`Could not be started: ${quoteList(failed, MAX_NAMES)}.`]),
  ]
  return reasons.length === 0 ? undefined : reasons.join(' ')
}
