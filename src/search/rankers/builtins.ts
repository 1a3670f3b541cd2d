// The rankers of this package, by the name that `discovery.search.ranker` accepts. A new one needs a file and a line.

import { raise } from '../../core/errors.ts'
import { quoteList } from '../../core/text.ts'
import { bm25f } from '../bm25f/bm25f.ts'
import type { IndexStorage, Ranker, RankerPlugin } from '../ranker.ts'
import { allWords } from './all-words.ts'
import { bm25, bm25Storage } from './bm25.ts'

interface BuiltinRanker<Name extends string = string> extends RankerPlugin<Name> {
  /** Absent if its index cannot be saved. Searches of the command line then start the gateway. */
  storage?(): Promise<IndexStorage>
}

export const DEFAULT_RANKER = 'bm25f'

const builtins = [
  {
    name: DEFAULT_RANKER,
    rank: bm25f,
    storage: async () => (await import('../bm25f/saved-index.ts')).bm25fStorage,
  },
  { name: 'bm25', rank: bm25, storage: async () => bm25Storage },
  { name: 'words', rank: allWords },
] as const satisfies readonly BuiltinRanker[]

/** The name of a built-in ranker. */
export type RankerName = (typeof builtins)[number]['name']

export const rankers: ReadonlyMap<string, BuiltinRanker> = new Map(
  builtins.map((ranker): [string, BuiltinRanker] => [ranker.name, ranker]),
)

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
