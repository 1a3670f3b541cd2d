// The categories of the tools that a caller sees. The catalog has already assigned a category to each tool.

import { groupBy } from '../core/collections.ts'
import { fail } from '../core/errors.ts'
import type { FailureResult } from '../core/result.ts'
import { findSimilarTools, similarDetails } from '../core/similarity.ts'
import { firstSentence } from '../core/text.ts'
import type { Tool } from '../core/tool.ts'
import { composeDescription } from './category-words.ts'
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

export function describeCategory({ name, tools }: Category, view: View, given: CategoryDescriptions = {}): string {
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

export function unknownCategory(name: string, names: readonly string[]): FailureResult {
  const similar = findSimilarTools(name, names)
  return fail('CATEGORY_NOT_FOUND', { name, similar, names }, similarDetails(similar))
}
