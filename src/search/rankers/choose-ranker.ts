// Finds the ranker that a configuration or an author names.

import { raise } from '../../core/errors.ts'
import { quoteList } from '../../core/text.ts'
import { bm25f } from '../bm25f/bm25f.ts'
import type { Ranker, RankerPlugin } from '../ranker.ts'
import { rankers } from './builtins.ts'

/** `more` are rankers of the user. They have precedence over built-in rankers of the same name. */
export function chooseRanker(wanted: string | RankerPlugin | undefined, more: readonly RankerPlugin[] = []): Ranker {
  if (wanted === undefined) return bm25f
  if (typeof wanted !== 'string') return wanted.rank
  const found = more.find(({ name }) => name === wanted) ?? rankers.get(wanted)
  if (found !== undefined) return found.rank
  const names = [...new Set([...more.map(({ name }) => name), ...rankers.keys()])]
  return raise('INVALID_OPTIONS', {
    what: 'ranker',
    reason: `there is no ranker '${wanted}'`,
    todo: `The rankers are ${quoteList(names, names.length)}.`,
  })
}
