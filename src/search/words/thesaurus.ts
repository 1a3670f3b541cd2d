// Which other words a word of a query may stand for. From knowledge of the field, never from what people asked.

import { NEAR_WORDS } from './near-words.ts'
import { SAME_WORDS } from './same-words.ts'
import { stem } from './stem.ts'

export interface Synonym {
  readonly term: string
  /** `same` for another word for it, `near` for another word of its subject. */
  readonly kind: 'same' | 'near'
}

/** The longest names of several words that have synonyms, in words. */
export const LONGEST_PHRASE = 3

let compiled: ReadonlyMap<string, readonly Synonym[]> | undefined
let printed: Buffer | undefined

/** Of a term, or of several with spaces between them. */
export function synonymsOf(term: string): readonly Synonym[] {
  if (compiled === undefined && printed !== undefined) return readPrinted(printed, term)
  // On first use: importing this must cost nothing.
  compiled ??= compile()
  return compiled.get(term) ?? []
}

/** All of it as text, to be kept: to work it out takes longer than a search. */
export function printThesaurus(): string {
  compiled ??= compile()
  const told = [...compiled].filter(([, others]) => others.length > 0)
  const lines = told.map(
    ([term, others]) => `${term}\t${others.map((other) => `${other.kind} ${other.term}`).join('\t')}`,
  )
  return `\n${lines.join('\n')}\n`
}

/** What this same version has printed, in place of working it out again. */
export function adoptThesaurus(text: Buffer): void {
  printed = text
}

function readPrinted(text: Buffer, term: string): readonly Synonym[] {
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
    for (const group of text.split(/[|\n]/)) {
      const names = group
        .trim()
        .split(/\s+/)
        .map((name) => name.split('_').map(stem))
      for (const from of names) for (const to of names) if (from !== to) link(found, from.join(' '), to, kind)
    }
  }
  read(SAME_WORDS, 'same')
  read(NEAR_WORDS, 'near')
  return new Map([...found].map(([term, others]) => [term, [...others.values()]]))
}

function link(
  found: Map<string, Map<string, Synonym>>,
  from: string,
  to: readonly string[],
  kind: Synonym['kind'],
): void {
  const others = found.get(from) ?? new Map<string, Synonym>()
  found.set(from, others)
  // Each word of a longer name may stand for the short one; the closer kind is read first and stays.
  for (const term of to) if (term !== from && !others.has(term)) others.set(term, { term, kind })
}
