// Rewrites the benchmark queries: with typos, without punctuation, in capitals, with small talk. Also joins two queries
// into one.

import type { Snapshot } from '../../src/catalog/snapshot.ts'
import { firstSentence } from '../../src/core/text.ts'
import type { Index } from '../../src/search/ranker.ts'
import { mistype } from './finding.ts'
import { seeded } from './quality.ts'

const BEFORE = `Hello there! I hope you are doing well today. I have been very busy this week and my boss is not happy with
me, so I really need your help with something important.`
const AFTER = `Thank you so much in advance, I really appreciate all of your help. Let me know if you need anything else
from me before you start.`

export const VARIANTS: Readonly<Record<string, (query: string) => string>> = {
  'as they are': (query) => query,
  'a typo in about one of five words with 5 or more letters': withTypos,
  'no punctuation, no capitals': (query) => query.toLowerCase().replace(/[.,?!'"]/g, ''),
  'all capitals': (query) => query.toUpperCase(),
  'five sentences of small talk around them': (query) => `${BEFORE} ${query} ${AFTER}`,
}

function withTypos(query: string): string {
  const random = seeded(query.length)
  const pick = (below: number) => Math.floor(random() * below)
  return query.replace(/[a-z]{5,}/gi, (word) => (random() < 0.2 ? mistype(word, pick) : word))
}

/** The share of tools in the top 5 if one query joins the first sentences of two tools. */
export async function byPairs(index: Index, { tools, get }: Snapshot, separator: string, tries = 400): Promise<number> {
  const random = seeded(3)
  const sentenceOf = (text = '') => firstSentence(text, 10_000).toLowerCase()
  const usual = tools
    .map(({ description }) => sentenceOf(description))
    .filter(({ length }) => length > 25 && length < 90)
  const pick = () => usual[Math.floor(random() * usual.length)] ?? ''
  let found = 0
  for (let at = 0; at < tries; at++) {
    const pair = [pick(), pick()]
    const hits = await index.search(pair.join(separator), { limit: 5 })
    const answered = new Set(hits.map(({ id }) => sentenceOf(get(id)?.description)))
    found += pair.filter((sentence) => answered.has(sentence)).length
  }
  return found / (2 * tries)
}
