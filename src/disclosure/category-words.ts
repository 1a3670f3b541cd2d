// Composes the description of a category from the verbs and nouns in the names of its tools.

import { isVerb, segmentsOf } from '../core/names.ts'

const MAX_WORDS = 5

/** Returns a text such as `List, create, close: issues, pull requests`, with the most frequent words first. */
export function composeDescription(names: readonly string[]): string {
  const parts = names.map((name) => {
    const words = segmentsOf(name).map((segment) => segment.toLowerCase())
    // A name has one verb: a second word that could be a verb belongs to the noun.
    const verb = words.find(isVerb)
    return { verb, words: words.filter((word) => word !== verb && /[a-z]/.test(word)) }
  })
  const verbs = mostFrequent(parts.flatMap(({ verb }) => verb ?? []))
  const shared = verbs === '' ? sharedFirst(parts.map(({ words }) => words)) : undefined
  const nouns = parts.map(({ words }) => (shared === undefined ? words : words.slice(1)).join(' '))
  const texts = [shared ?? verbs, mostFrequent(nouns)].filter((text) => text !== '')
  return capitalize(texts.join(': '))
}

/** The first word if all names share it. It is then written only once. */
function sharedFirst(names: readonly (readonly string[])[]): string | undefined {
  const [first, ...others] = new Set(names.map(([word]) => word))
  return others.length === 0 ? first : undefined
}

function mostFrequent(words: readonly string[]): string {
  const groups = new Map<string, { readonly word: string; count: number }>()
  for (const word of words.filter((given) => given !== '')) {
    // Singular and plural count as one word here.
    const key = word.replace(/s$/, '')
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { word, count: 1 })
    else group.count++
  }
  const sorted = [...groups.values()].sort((a, b) => b.count - a.count)
  const shown = sorted.slice(0, MAX_WORDS).map(({ word }) => word)
  return [...shown, ...(sorted.length > MAX_WORDS ? ['…'] : [])].join(', ')
}

function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
