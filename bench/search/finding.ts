// Checks whether tools are found by their name, a mistyped name and their own first sentence.

import type { Snapshot } from '../../src/catalog/snapshot.ts'
import { firstSentence } from '../../src/core/text.ts'
import type { Index } from '../../src/search/ranker.ts'
import { seeded } from './quality.ts'

export interface FindingRate {
  readonly what: string
  readonly tried: number
  readonly found: number
}

/** The hit at rank 1 must be the tool or another tool with the same name. */
export async function byName(index: Index, { tools }: Snapshot): Promise<FindingRate> {
  return rateOf('own exact name, rank 1', tools, async (tool) => {
    const hit = (await index.search(tool.name, { limit: 1 }))[0]
    return tools.some((other) => other.id === hit?.id && other.name === tool.name)
  })
}

/** The tool, or one with the same first sentence, must be in the top 5. Sentences under 8 characters are skipped. */
export async function bySentence(index: Index, snapshot: Snapshot): Promise<FindingRate> {
  const sentenceOf = (text: string) => firstSentence(text, 10_000)
  const tools = snapshot.tools.filter((tool) => sentenceOf(tool.description).length >= 8)
  return rateOf('own first sentence, top 5', tools, async (tool) => {
    const sentence = sentenceOf(tool.description)
    const hits = await index.search(sentence, { limit: 5 })
    return hits.some(({ id }) => sentenceOf(snapshot.get(id)?.description ?? '') === sentence)
  })
}

/** The query is a name of at least 5 characters with one edit; a tool with that name must be in the top 3. */
export async function byMistypedName(index: Index, snapshot: Snapshot, tries = 200): Promise<FindingRate> {
  const random = seeded(7)
  const pick = (below: number) => Math.floor(random() * below)
  const names = [...new Set(snapshot.tools.map((tool) => tool.name))].filter((name) => name.length >= 5)
  const typos = Array.from({ length: tries }, () => {
    const name = names[pick(names.length)] ?? ''
    return { name, typed: mistype(name, pick) }
  })
  return rateOf('mistyped name, top 3', typos, async ({ name, typed }) => {
    const hits = await index.search(typed, { limit: 3 })
    return hits.some(({ id }) => snapshot.get(id)?.name === name)
  })
}

export function mistype(name: string, pick: (below: number) => number): string {
  const letter = String.fromCharCode(97 + pick(26))
  const at = pick(name.length)
  const kinds = [
    name.slice(0, at) + name.slice(at + 1),
    name.slice(0, at) + letter + name.slice(at),
    name.slice(0, at) + letter + name.slice(at + 1),
    name.slice(0, at) + name.charAt(at + 1) + name.charAt(at) + name.slice(at + 2),
  ]
  return kinds[pick(kinds.length)] ?? name
}

async function rateOf<Item>(
  what: string,
  items: readonly Item[],
  isFound: (item: Item) => Promise<boolean>,
): Promise<FindingRate> {
  let found = 0
  for (const item of items) if (await isFound(item)) found++
  return { what, tried: items.length, found }
}
