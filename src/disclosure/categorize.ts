// The categories of the tools that a caller sees. The catalog has already assigned a category to each tool.

import { groupBy } from '../core/collections.ts'
import { fail } from '../core/errors.ts'
import { isVerb, segmentsOf } from '../core/names.ts'
import type { FailureResult } from '../core/result.ts'
import { findSimilarTools, similarDetails } from '../core/similarity.ts'
import { firstSentence } from '../core/text.ts'
import type { Tool } from '../core/tool.ts'
import type { View } from './view.ts'

interface Category {
  readonly name: string
  readonly tools: readonly Tool[]
}

/** The configured descriptions, by the name of the category. */
export type CategoryDescriptions = Readonly<Record<string, string>>

const MAX_DESCRIPTION_CHARS = 160

/** The categories, in the order of their first tools. */
export function categoriesOf(view: View): readonly Category[] {
  const byName = groupBy(view.visible.tools, ({ category }) => category)
  return [...byName].map(([name, tools]) => ({ name, tools }))
}

export function describeCategory({ name, tools }: Category, view: View, given: CategoryDescriptions): string {
  if (Object.hasOwn(given, name)) return given[name] ?? ''
  const server = view.sources.find(({ id }) => id === name)
  const about = server?.description ?? server?.title
  if (about !== undefined) return firstSentence(about, MAX_DESCRIPTION_CHARS)
  return composeDescription(tools.map((tool) => tool.name)) || (tools.length === 1 ? '1 tool' : `${tools.length} tools`)
}

/** Finds the category with this name, else the only one that differs from it just in letter case. */
export function findCategory<C extends { readonly name: string }>(
  name: string,
  categories: readonly C[],
): C | undefined {
  const exact = categories.find((category) => category.name === name)
  if (exact !== undefined) return exact
  const [alike, ...others] = categories.filter((category) => category.name.toLowerCase() === name.toLowerCase())
  return others.length === 0 ? alike : undefined
}

export function unknownCategory(name: string, categories: readonly { readonly name: string }[]): FailureResult {
  const names = categories.map((category) => category.name)
  const similar = findSimilarTools(name, names)
  return fail('CATEGORY_NOT_FOUND', { name, similar, names }, similarDetails(similar))
}

const MAX_WORDS = 5

/**
 * Composes the description of a category from the verbs and nouns in the names of its tools, the most frequent first:
 * `List, create, close: issues, pull requests`.
 */
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
  const text = texts.join(': ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

/** The first word if all names share it. It is then written only once. */
function sharedFirst(names: readonly (readonly string[])[]): string | undefined {
  const [first, ...others] = new Set(names.map(([word]) => word))
  return others.length === 0 ? first : undefined
}

function mostFrequent(words: readonly string[]): string {
  const given = words.filter((word) => word !== '')
  // Singular and plural count as one word. The form that occurs first is shown.
  const groups = groupBy(given, (word) => word.replace(/s$/, ''))
  const sorted = [...groups.values()].sort((a, b) => b.length - a.length)
  const shown = sorted.slice(0, MAX_WORDS).flatMap(([first = '']) => first)
  return [...shown, ...(sorted.length > MAX_WORDS ? ['…'] : [])].join(', ')
}
