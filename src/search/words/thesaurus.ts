// Finds the synonyms of the words in a query. The lists are general knowledge, not taken from recorded queries.

import { getOrMake } from '../../core/collections.ts'
import { stem } from './stem.ts'
import { NEAR_WORDS, SAME_WORDS } from './synonyms.ts'

interface Synonym {
  readonly term: string
  /** `same` is a word with the same meaning, `near` is a word of the same subject. */
  readonly kind: 'same' | 'near'
}

/** The number of words in the longest name that has synonyms. */
export const LONGEST_PHRASE = 3

let compiled: ReadonlyMap<string, readonly Synonym[]> | undefined
let serialized: Buffer | undefined

/** The synonyms of a term, or of several terms separated by spaces. */
export function synonymsOf(term: string): readonly Synonym[] {
  if (compiled === undefined && serialized !== undefined) return readSerialized(serialized, term)
  // Compiled on first use, because the import must be fast.
  compiled ??= compile()
  return compiled.get(term) ?? []
}

/** The whole thesaurus as text, for saving. Compiling it takes longer than a search. */
export function serializeThesaurus(): string {
  compiled ??= compile()
  const known = [...compiled].filter(([, others]) => others.length > 0)
  const lines = known.map(
    ([term, others]) => `${term}\t${others.map((other) => `${other.kind} ${other.term}`).join('\t')}`,
  )
  return `\n${lines.join('\n')}\n`
}

/** Uses the text that `serializeThesaurus` of the same version returned, instead of compiling the lists again. */
export function loadThesaurus(text: Buffer): void {
  serialized = text
}

function readSerialized(text: Buffer, term: string): readonly Synonym[] {
  const start = text.indexOf(`\n${term}\t`)
  if (start < 0) return []
  const first = text.indexOf('\t', start) + 1
  const line = text.toString('utf8', first, text.indexOf('\n', first))
  return line.split('\t').map((entry) => {
    const kind = entry.startsWith('same ') ? 'same' : 'near'
    return { kind, term: entry.slice(kind.length + 1) }
  })
}

function compile(): ReadonlyMap<string, readonly Synonym[]> {
  const found = new Map<string, Map<string, Synonym>>()
  const read = (text: string, kind: Synonym['kind']) => {
    for (const group of text.trim().split(/\s*[|\n]\s*/)) {
      const names = group.split(/\s+/).map((name) => name.split('_').map(stem))
      for (const name of names) {
        const from = name.join(' ')
        const others = getOrMake(found, from, () => new Map<string, Synonym>())
        // Each synonym is a single word: `pr` gets `pull` and `request` from `pull_request`. `same` is read first and
        // has precedence.
        for (const term of names.filter((other) => other !== name).flat()) {
          if (term !== from && !others.has(term)) others.set(term, { term, kind })
        }
      }
    }
  }
  read(SAME_WORDS, 'same')
  read(NEAR_WORDS, 'near')
  return new Map([...found].map(([term, others]) => [term, [...others.values()]]))
}
