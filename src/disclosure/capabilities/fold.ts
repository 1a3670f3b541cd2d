// An inventory within a budget: shorter texts first, then categories folded to counts.

import type { CountTokens } from '../../core/tokens.ts'
import { type InventoryCategory, LENGTHS, type TextLengths, type ToolCategory, toCategory } from './inventory.ts'

/** Folded: its tools are there for whoever asks for the category. */
export interface FoldedCategory {
  readonly name: string
  readonly description?: string
  readonly toolCount: number
}

export interface Fitted {
  readonly categories: readonly (ToolCategory | FoldedCategory)[]
  /** What was left out, and how to get at it. */
  readonly note?: string
}

export interface FitOptions {
  /** In tokens, for the categories alone. */
  readonly budget: number
  /** What is worth shortening texts for; past it they are shortened, up to the budget nothing is folded. */
  readonly wanted: number
  readonly count: CountTokens
}

/** The comma between two. */
const SEPARATOR = 1
/** Of the shortest: with more tools than that there is no need to try. */
const MIN_TOKENS_PER_TOOL = 8
const FOLDED = 'Where toolCount stands, pass category to see the tools.'
/** Of the tools beside folded categories: there is no room for more, and less says nothing. */
const BESIDE_FOLDED: TextLengths = { category: 60, description: 50, example: 0, madeUp: 0 }
const NAMES_ONLY: TextLengths = { category: 80, description: 0, example: 0, madeUp: 0 }

export function fitInventory(categories: readonly InventoryCategory[], options: FitOptions): Fitted {
  const { budget, wanted } = options
  const measure = measureWith(options)
  const toolCount = categories.reduce((sum, { tools }) => sum + tools.length, 0)
  if (toolCount * MIN_TOKENS_PER_TOOL > budget) return foldLargest(categories, budget, measure)
  for (const [index, lengths] of LENGTHS.entries()) {
    const whole = categories.map((category) => toCategory(category, lengths))
    if (measure(whole) <= (index === LENGTHS.length - 1 ? budget : wanted)) return { categories: whole }
  }
  return foldLargest(categories, budget, measure)
}

/** One category that was asked for by name: at whatever length fits, and at the least with every name. */
export function fitCategory(category: InventoryCategory, options: FitOptions): ToolCategory {
  const measure = measureWith(options)
  const shown = LENGTHS.map((lengths) => toCategory(category, lengths))
  return shown.find((one) => measure(one) <= options.budget) ?? toCategory(category, NAMES_ONLY)
}

type Measure = (value: unknown) => number

/** Categories of one size fold together, the largest first: they say least for their tokens. */
function foldLargest(categories: readonly InventoryCategory[], budget: number, measure: Measure): Fitted {
  const room = budget - measure(FOLDED)
  const folded = new Map(categories.map((category) => [category, fold(category)]))
  let total = [...folded.values()].reduce((sum, one) => sum + measure(one) + SEPARATOR, 0)
  if (total > room) {
    return listLargest(
      [...folded.values()].map(({ name, toolCount }) => ({ name, toolCount })),
      room,
      measure,
    )
  }
  const opened = new Map<InventoryCategory, ToolCategory>()
  // From the smallest up, so that what will not fit is not even counted.
  for (const size of [...new Set(categories.map(({ tools }) => tools.length))].sort((a, b) => a - b)) {
    const alike = categories.filter(({ tools }) => tools.length === size)
    const open = new Map(alike.map((category) => [category, toCategory(category, BESIDE_FOLDED)]))
    for (const [category, one] of open) total += measure(one) - measure(folded.get(category))
    if (total > room) break
    for (const [category, one] of open) opened.set(category, one)
  }
  return { categories: categories.map((category) => opened.get(category) ?? fold(category)), note: FOLDED }
}

function fold(category: InventoryCategory) {
  const { name, description } = toCategory({ ...category, tools: [] }, BESIDE_FOLDED)
  return { name, description, toolCount: category.tools.length }
}

/** The last resort: names and counts, of the largest. */
function listLargest(counts: readonly FoldedCategory[], room: number, measure: Measure): Fitted {
  const kept = new Set<FoldedCategory>()
  let left = room
  for (const category of counts.toSorted((a, b) => b.toolCount - a.toolCount)) {
    left -= measure(category) + SEPARATOR
    if (left < 0) break
    kept.add(category)
  }
  const hidden = counts.length - kept.size
  const note = hidden === 0 ? FOLDED : `${FOLDED} ${hidden} smaller categories are not shown.`
  return { categories: counts.filter((category) => kept.has(category)), note }
}

/** Text this much longer than the budget is past it, whatever it says: there is no need to count. */
const MAX_CHARS_PER_TOKEN = 12

function measureWith({ budget, count }: FitOptions): Measure {
  return (value) => {
    const text = JSON.stringify(value)
    return text.length > budget * MAX_CHARS_PER_TOKEN ? text.length : count(text)
  }
}
