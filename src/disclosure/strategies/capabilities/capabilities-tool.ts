// The meta-tool <prefix>_capabilities: returns the inventory of the server, shortened to fit a token budget.

import { setImmediate } from 'node:timers/promises'
import { z } from 'zod'
import type { Snapshot } from '../../../catalog/snapshot.ts'
import { loadTokenCounter } from '../../../core/tokens.ts'
import type { ListedTool, Tool, ToolId } from '../../../core/tool.ts'
import { answer, describeUnlistedSources } from '../../answer.ts'
import {
  type CategoryDescriptions,
  categoriesOf,
  describeCategory,
  findCategory,
  unknownCategory,
} from '../../categorize.ts'
import { examplesOf } from '../../examples.ts'
import { defineMetaTool } from '../../meta-tool.ts'
import type { MetaTool, StrategyEnvironment } from '../../strategy.ts'
import type { View } from '../../view.ts'
import { type FitOptions, fitCategory, fitInventory, type InventoryCategory } from './inventory.ts'

/** The category of the server's own tools. */
const SYSTEM = 'system'

interface CapabilitiesOptions {
  readonly name: string
  readonly inventoryBudget: number
  readonly descriptions: CategoryDescriptions
  /** The configured quick actions. If undefined, the most used tools are shown. */
  readonly quickActions: readonly string[] | undefined
  readonly mostUsed: Promise<readonly ToolId[]>
  /** The server's own tools in the listing of this caller, one line each. */
  system(view: View): Promise<InventoryCategory['tools']>
}

/** A longer list of names is left out: a model can ask for the categories, and the list costs every client tokens. */
const MAX_ENUM_CHARS = 6_000
/** The wanted size of an inventory: TOKENS_PER_SERVER, plus this for each tool. It is below 500 tokens for 14 tools. */
const TOKENS_PER_TOOL = 25
const TOKENS_PER_SERVER = 140
const MAX_QUICK_ACTIONS = 5

export function createCapabilities(options: CapabilitiesOptions, environment: StrategyEnvironment): MetaTool {
  const { descriptions, inventoryBudget } = options
  const addExamples = createExampleAdder()
  return defineMetaTool({
    name: options.name,
    description: 'What this server can do: its tools by category, a line each. Start here.',
    input: z.strictObject({ category: z.string().min(1).optional() }),
    readOnly: true,
    findsTools: true,
    takesContext: environment.hasContexts,
    needs: () => 'all',
    async call({ category }, view) {
      const everything = inventoryOf(view, descriptions, await options.system(view))
      const wanted = category === undefined ? undefined : findCategory(category, everything)
      if (category !== undefined && wanted === undefined) return unknownCategory(category, everything)
      const shown = await addExamples(wanted === undefined ? everything : [wanted], view.visible)
      const version = environment.server?.version ?? ''
      const quickActions =
        options.quickActions?.filter((text) => isShown(text, view)) ?? usedIn(view, await options.mostUsed)
      const room = await roomAfter({ version, quickActions }, inventoryBudget, view)
      const { categories, note } =
        wanted === undefined
          ? fitInventory(shown, room)
          : { categories: shown.map((one) => fitCategory(one, room)), note: undefined }
      const notes = [note, describeUnlistedSources(view.sources)].filter((text) => text !== undefined)
      return answer({ version, categories, quickActions, ...(notes.length === 0 ? {} : { note: notes.join(' ') }) })
    },
  })
}

/** The listed tool, with the existing categories as the allowed values of its argument `category`. */
export function withCategories(listed: ListedTool, view: View): ListedTool {
  const names = categoriesOf(view).map(({ name }) => name)
  const all = names.includes(SYSTEM) ? names : [...names, SYSTEM]
  if (JSON.stringify(all).length > MAX_ENUM_CHARS) return listed
  const { properties, ...rest } = listed.inputSchema
  return {
    ...listed,
    inputSchema: {
      ...rest,
      // The schema is made from a zod object, so `properties` is an object.
      properties: { ...(properties as Record<string, unknown>), category: { type: 'string', enum: all } },
    },
  }
}

function inventoryOf(
  view: View,
  descriptions: CategoryDescriptions,
  system: InventoryCategory['tools'],
): readonly InventoryCategory[] {
  const found = categoriesOf(view).map((category) => ({
    name: category.name,
    description: describeCategory(category, view, descriptions),
    tools: category.tools.map(({ listedName, description, traits }) => ({
      name: listedName,
      description,
      examples: traits.examples,
    })),
  }))
  const others = found.filter(({ name }) => name !== SYSTEM)
  const own = found.find(({ name }) => name === SYSTEM)
  const description = own?.description ?? 'This server itself'
  return [...others, { name: SYSTEM, description, tools: [...(own?.tools ?? []), ...system] }]
}

/** The tokens that `head` leaves for the categories. */
async function roomAfter(head: unknown, inventoryBudget: number, { visible }: View): Promise<FitOptions> {
  const count = await loadTokenCounter()
  const taken = count(JSON.stringify(head))
  const wanted = TOKENS_PER_SERVER + TOKENS_PER_TOOL * visible.tools.length
  return { count, budget: inventoryBudget - taken, wanted: Math.min(inventoryBudget, wanted) - taken }
}

/**
 * A quick action can be any text. If it is the name of a tool, it is shown only to callers that can see the tool. A
 * caller with limited rights sees only quick actions that are names of its visible tools, because a free text could
 * mention a hidden tool.
 */
function isShown(text: string, view: View): boolean {
  const target = view.lookup(text)
  return target.found ? target.visibility.degree === 'visible' : view.caller.rights === undefined
}

function usedIn(view: View, ids: readonly ToolId[]): readonly string[] {
  return ids.flatMap((id) => view.visible.get(id)?.listedName ?? []).slice(0, MAX_QUICK_ACTIONS)
}

/** An inventory of more tools has no room for examples, and each example takes a validation. */
const MAX_TOOLS_WITH_EXAMPLES = 60
/** Validating a longer schema takes long, and its example would rarely be short. */
const MAX_SCHEMA_CHARS = 4_000
/** After this time, an answer makes no further examples. A later answer makes them. */
const MAX_MS = 200
/** Empty arguments are not worth showing. */
const NOTHING = '{}'

/**
 * Returns a function that adds examples to tools without written ones: a valid example of the schema, else the smallest
 * valid arguments.
 */
export function createExampleAdder() {
  const known = new WeakMap<Tool, string | undefined>()
  return async (categories: readonly InventoryCategory[], visible: Snapshot): Promise<readonly InventoryCategory[]> => {
    const tools = categories.flatMap((category) => category.tools.flatMap(({ name }) => visible.find(name) ?? []))
    if (tools.length > MAX_TOOLS_WITH_EXAMPLES) return categories
    const startedAt = performance.now()
    for (const tool of tools) {
      if (known.has(tool)) continue
      if (performance.now() - startedAt > MAX_MS) break
      known.set(tool, await generateArguments(tool))
      // Other requests are served in between.
      await setImmediate()
    }
    const argumentsFor = (name: string) => {
      const tool = visible.find(name)
      return tool === undefined ? undefined : known.get(tool)
    }
    return categories.map((category) => ({
      ...category,
      tools: category.tools.map((tool) => ({ ...tool, generatedArguments: argumentsFor(tool.name) })),
    }))
  }
}

async function generateArguments({ inputSchema, validate, traits }: Tool): Promise<string | undefined> {
  if ((traits.examples ?? []).length > 0 || JSON.stringify(inputSchema).length > MAX_SCHEMA_CHARS) return undefined
  const [first] = await examplesOf({ inputSchema, validate })
  const text = first === undefined ? NOTHING : JSON.stringify(first.parameters)
  return text === NOTHING ? undefined : text
}
