// createToolRegistry: the inventory and the schemas of a set of tools, for servers with their own protocol code.

import { aListOf, aText, expecting } from '../core/check-fields.ts'
import { raise } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'
import { categoriesOfNames, GENERAL } from '../core/name-categories.ts'
import type { JsonSchema, ToolExample } from '../core/tool.ts'
import { composeDescription } from '../disclosure/categorize.ts'
import {
  type CapabilitiesResponse,
  LENGTHS,
  type TextLengths,
  toCategory,
} from '../disclosure/strategies/capabilities/inventory.ts'
import { createSchemaCache, type SchemaCacheStats } from '../disclosure/strategies/capabilities/schema-tool.ts'
import type { Command } from '../sources/commands/define.ts'

/** A tool as `tools/list` would show it, with a category and an example. */
export interface ToolDefinition {
  /** The name of the tool, unique in the registry. */
  readonly name: string
  /** The purpose of the tool. The inventory shows its first sentence. */
  readonly description: string
  /** Default: derived from the names of all tools. */
  readonly category?: string
  /** A request of a user for which this tool is the right one. */
  readonly example?: string
  /** Examples of calls. */
  readonly examples?: readonly ToolExample[]
  /** The JSON Schema of the arguments. */
  readonly inputSchema: JsonSchema
}

/** The options of `createToolRegistry`. */
export interface ToolRegistryOptions {
  /** The version of the server, for the inventory. */
  readonly version: string
  /** The tools, or commands. */
  readonly tools: readonly (ToolDefinition | Command)[]
  /** Descriptions of categories, by name. */
  readonly categories?: Readonly<Record<string, string>>
  /** Common operations, for quick reference. Default: none. */
  readonly quickActions?: readonly string[]
}

/** The inventory and the schemas of a set of tools. */
export interface ToolRegistry {
  /** The tools by category. With a category that does not exist, `categories` is empty. */
  getCapabilities(filter?: { readonly category?: string }): CapabilitiesResponse
  /** The JSON Schema of the arguments of a tool. Null if there is no such tool. */
  getToolSchema(toolName: string): JsonSchema | null
  /** Whether there is a tool with this name. */
  hasTool(toolName: string): boolean
  /** An alias of `hasTool`. */
  hasTools(toolName: string): boolean
  /** The names of all tools. */
  listToolNames(): string[]
  /** How often a schema was in the cache, and how often it was not. */
  stats(): SchemaCacheStats
}

// Counting tokens needs a table that is loaded asynchronously. Here fixed text lengths keep 14 tools below 500 tokens.
const TEXTS: TextLengths = LENGTHS[2] ?? LENGTHS[0]

/**
 * Creates the inventory and the schemas of a set of tools, for a server with its own protocol code.
 *
 * @example
 * ```ts
 * const registry = createToolRegistry({ version: '1.0.0', tools: [add] })
 * registry.getCapabilities() // the tools by category, one line each
 * registry.getToolSchema('todo-add')
 * ```
 */
export function createToolRegistry(options: ToolRegistryOptions): ToolRegistry {
  check(options)
  const { version, categories = {}, quickActions = [] } = options
  const tools = new Map(options.tools.map((tool) => [tool.name, tool]))
  const cache = createSchemaCache<ToolDefinition | Command, JsonSchema>()
  const derived = categoriesOfNames([...tools.keys()])
  const categoryOf = ({ name, category }: ToolDefinition | Command) => category ?? derived.get(name) ?? GENERAL
  const names = [...new Set([...tools.values()].map(categoryOf))]
  const inventory = names.map((name) => {
    const members = [...tools.values()].filter((tool) => categoryOf(tool) === name)
    const description = Object.hasOwn(categories, name) ? categories[name] : undefined
    return toCategory(
      { name, description: description ?? composeDescription(members.map((tool) => tool.name)), tools: members },
      TEXTS,
    )
  })
  const hasTool = (name: string) => tools.has(name)
  return {
    getCapabilities: ({ category } = {}) => ({
      version,
      categories: inventory.filter(({ name }) => category === undefined || name === category),
      quickActions,
    }),
    getToolSchema(name) {
      const tool = tools.get(name)
      return tool === undefined ? null : cache.get(tool, schemaOf)
    },
    hasTool,
    hasTools: hasTool,
    listToolNames: () => [...tools.keys()],
    stats: () => cache.stats(),
  }
}

/** Drops `$schema` if it is the dialect that MCP assumes: repeating it in every schema only costs tokens. */
function schemaOf({ inputSchema: { $schema, ...schema } }: ToolDefinition | Command): JsonSchema {
  return $schema === undefined || $schema === DIALECT ? schema : { $schema, ...schema }
}

const DIALECT = 'https://json-schema.org/draft/2020-12/schema'

const aTool = expecting(
  'a tool with name, description and inputSchema',
  (value) =>
    isRecord(value) &&
    typeof value.name === 'string' &&
    typeof value.description === 'string' &&
    isRecord(value.inputSchema),
)

/** Checks for JavaScript callers what TypeScript checks at compile time, and for all callers that names are unique. */
function check({ version, tools, quickActions = [] }: ToolRegistryOptions): void {
  const refuse = (what: string, reason: string, todo: string) => raise('INVALID_OPTIONS', { what, reason, todo })
  const faults = [
    ['version', aText(version), "Give a version, such as '1.0.0'."],
    ['tools', aListOf(aTool, 'tools')(tools), 'Give commands, or objects with those fields.'],
    ['quickActions', aListOf(aText, 'texts')(quickActions), 'Give a list of texts, or leave it out.'],
  ] as const
  for (const [what, reason, todo] of faults) if (reason !== undefined) refuse(what, reason, todo)
  const names = tools.map((tool) => tool.name)
  const duplicate = names.find((name, index) => names.indexOf(name) !== index)
  if (duplicate !== undefined) refuse('tools', `two are named '${duplicate}'`, 'Rename one of them; names are unique.')
}
