// The inventory of a server: its tools by category, one line each, at one of several text lengths.

import { cutLongText, firstSentence } from '../../../core/text.ts'
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
    tools: tools.map((tool) => summarize(tool, lengths)),
  }
}

function summarize(tool: InventoryTool, lengths: TextLengths): ToolSummary {
  const example = exampleOf(tool, lengths)
  return {
    name: tool.name,
    description: firstSentence(tool.description, lengths.description),
    ...(example === undefined ? {} : { example }),
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
