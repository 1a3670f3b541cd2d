// The inventory of a server: its tools by category, one line each, shortened to fit a token budget.

import { defined } from '../../../core/defined.ts'
import { cutLongText, firstSentence } from '../../../core/text.ts'
import type { CountTokens } from '../../../core/tokens.ts'
import type { ToolExample } from '../../../core/tool.ts'

/** A tool in one line. */
export interface ToolSummary {
  /** The name to call. */
  readonly name: string
  /** The first sentence of the description. */
  readonly description: string
  /** A request of a user for which this tool is the right one, or arguments to send. */
  readonly example?: string
}

/** A category of tools in an inventory. */
export interface ToolCategory {
  /** The name of the category. */
  readonly name: string
  /** The purpose of its tools. */
  readonly description: string
  /** Its tools, one line each. */
  readonly tools: readonly ToolSummary[]
}

/** The inventory of a server: its tools by category, one line each. */
export interface CapabilitiesResponse {
  /** The version of the server. */
  readonly version: string
  /** The categories with their tools. */
  readonly categories: readonly ToolCategory[]
  /** Common operations, for quick reference. */
  readonly quickActions: readonly string[]
}

/** The input for an inventory. */
export interface InventoryCategory {
  readonly name: string
  readonly description: string
  readonly tools: readonly InventoryTool[]
}

interface InventoryTool {
  readonly name: string
  readonly description: string
  /** The text to show instead of the first of `examples`. */
  readonly example?: string | undefined
  readonly examples?: readonly ToolExample[] | undefined
  /** Valid arguments, for a tool without a written example. */
  readonly generatedArguments?: string | undefined
}

/** The maximum number of characters of each text. 0 leaves an example out. */
export interface TextLengths {
  readonly category: number
  readonly description: number
  readonly example: number
  /** Longer generated arguments are left out, because cut arguments are useless. */
  readonly generatedArguments: number
}

/** From the longest to the shortest. */
export const LENGTHS: readonly [TextLengths, ...TextLengths[]] = [
  { category: 80, description: 80, example: 60, generatedArguments: 60 },
  { category: 80, description: 80, example: 60, generatedArguments: 0 },
  { category: 50, description: 50, example: 40, generatedArguments: 0 },
  { category: 30, description: 30, example: 25, generatedArguments: 0 },
  { category: 30, description: 30, example: 0, generatedArguments: 0 },
]

export function toCategory({ name, description, tools }: InventoryCategory, lengths: TextLengths): ToolCategory {
  return {
    name,
    description: firstSentence(description, lengths.category),
    tools: tools.map((tool) =>
      defined({
        name: tool.name,
        description: firstSentence(tool.description, lengths.description),
        example: exampleOf(tool, lengths),
      }),
    ),
  }
}

/** The title or description of the written example, else its arguments, else the generated arguments. */
function exampleOf(
  { example, examples: [first] = [], generatedArguments }: InventoryTool,
  lengths: TextLengths,
): string | undefined {
  const written = example ?? first?.title ?? first?.description ?? JSON.stringify(first?.input)
  if (written === undefined) {
    const isShort = generatedArguments !== undefined && generatedArguments.length <= lengths.generatedArguments
    return isShort ? generatedArguments : undefined
  }
  return lengths.example === 0 ? undefined : cutLongText(written, lengths.example)
}

/** A category without its tools. A caller gets the tools by asking for the category. */
interface FoldedCategory {
  readonly name: string
  readonly description?: string
  readonly toolCount: number
}

interface Fitted {
  readonly categories: readonly (ToolCategory | FoldedCategory)[]
  /** Says what was left out, and how to get it. */
  readonly note?: string
}

export interface FitOptions {
  /** The maximum number of tokens for the categories alone. */
  readonly budget: number
  /** The preferred number of tokens. Above it, texts are shortened. Categories are folded only above the budget. */
  readonly wanted: number
  readonly count: CountTokens
}

/** The tokens of the comma between two categories. */
const SEPARATOR = 1
/**
 * The tokens of the shortest entry of a tool. If this times the number of tools exceeds the budget, shortening cannot
 * help.
 */
const MIN_TOKENS_PER_TOOL = 8
const FOLDED = 'If toolCount is shown, pass category to see the tools.'
/** The text lengths in an inventory with folded categories, which has no room for longer texts. */
const WITH_FOLDED: TextLengths = { category: 60, description: 50, example: 0, generatedArguments: 0 }
const NAMES_ONLY: TextLengths = { category: 80, description: 0, example: 0, generatedArguments: 0 }

/** Shortens texts first, then shows only the size of large categories. */
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

/** Shows one category that was asked for by name: with the longest texts that fit, and always with every name. */
export function fitCategory(category: InventoryCategory, options: FitOptions): ToolCategory {
  const measure = measureWith(options)
  const shown = LENGTHS.map((lengths) => toCategory(category, lengths))
  return shown.find((one) => measure(one) <= options.budget) ?? toCategory(category, NAMES_ONLY)
}

type Measure = (value: unknown) => number

/** Folds categories of the same size together, the largest first, because they need the most tokens. */
function foldLargest(categories: readonly InventoryCategory[], budget: number, measure: Measure): Fitted {
  const room = budget - measure(FOLDED)
  const folded = new Map(categories.map((category) => [category, fold(category)]))
  let total = [...folded.values()].reduce((sum, one) => sum + measure(one) + SEPARATOR, 0)
  if (total > room) return listLargest([...folded.values()], room, measure)
  const shown = new Map<InventoryCategory, ToolCategory | FoldedCategory>(folded)
  // From the smallest size up: if one size does not fit, the larger ones need not be measured.
  for (const size of [...new Set(categories.map(({ tools }) => tools.length))].sort((a, b) => a - b)) {
    const alike = categories.filter(({ tools }) => tools.length === size)
    const open = new Map(alike.map((category) => [category, toCategory(category, WITH_FOLDED)]))
    for (const [category, one] of open) total += measure(one) - measure(folded.get(category))
    if (total > room) break
    for (const [category, one] of open) shown.set(category, one)
  }
  return { categories: [...shown.values()], note: FOLDED }
}

function fold(category: InventoryCategory): FoldedCategory {
  const { name, description } = toCategory({ ...category, tools: [] }, WITH_FOLDED)
  return { name, description, toolCount: category.tools.length }
}

/** The last resort: names and counts of the largest categories. */
function listLargest(folded: readonly FoldedCategory[], room: number, measure: Measure): Fitted {
  const counts = folded.map(({ name, toolCount }) => ({ name, toolCount }))
  const kept = new Set<FoldedCategory>()
  let left = room
  for (const category of counts.toSorted((a, b) => b.toolCount - a.toolCount)) {
    left -= measure(category) + SEPARATOR
    if (left < 0) break
    kept.add(category)
  }
  const hidden = counts.length - kept.size
  const note =
    hidden === 0 ? FOLDED : `${FOLDED} ${hidden} smaller ${hidden === 1 ? 'category is' : 'categories are'} not shown.`
  return { categories: counts.filter((category) => kept.has(category)), note }
}

/** A text with more characters than this times the budget is certainly too long, so its tokens are not counted. */
const MAX_CHARS_PER_TOKEN = 12

function measureWith({ budget, count }: FitOptions): Measure {
  return (value) => {
    const text = JSON.stringify(value)
    return text.length > budget * MAX_CHARS_PER_TOKEN ? text.length : count(text)
  }
}
