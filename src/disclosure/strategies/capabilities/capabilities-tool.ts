// The meta-tool <prefix>_capabilities: returns the inventory of the server, shortened to fit a token budget.

import { z } from 'zod'
import { loadTokenCounter } from '../../../core/tokens.ts'
import type { ListedTool, ToolId } from '../../../core/tool.ts'
import { answer } from '../../answer.ts'
import {
  type CategoryDescriptions,
  categoriesOf,
  describeCategory,
  findCategory,
  unknownCategory,
} from '../../categorize.ts'
import { defineMetaTool } from '../../meta-tool.ts'
import type { MetaTool, StrategyEnvironment } from '../../strategy.ts'
import { describeUnlistedSources } from '../../unlisted-sources.ts'
import type { View } from '../../view.ts'
import { type FitOptions, fitCategory, fitInventory } from './fold.ts'
import type { InventoryCategory } from './inventory.ts'
import { createMadeUpExamples } from './made-up-examples.ts'

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
  system(view: View): Promise<readonly SystemTool[]>
}

interface SystemTool {
  readonly name: string
  readonly description: string
}

/** A longer list of names is left out: a model can ask for the categories, and the list costs every client tokens. */
const MAX_ENUM_CHARS = 6_000
/** The wanted size of an inventory: TOKENS_PER_SERVER, plus this for each tool. It is below 500 tokens for 14 tools. */
const TOKENS_PER_TOOL = 25
const TOKENS_PER_SERVER = 140
const MAX_QUICK_ACTIONS = 5

const input = z.strictObject({ category: z.string().min(1).optional() })

export function createCapabilities(options: CapabilitiesOptions, environment: StrategyEnvironment): MetaTool {
  const { descriptions, inventoryBudget } = options
  const addExamples = createMadeUpExamples()
  return defineMetaTool({
    name: options.name,
    description: 'What this server can do: its tools by category, a line each. Start here.',
    input,
    readOnly: true,
    findsTools: true,
    takesContext: environment.hasContexts,
    needs: () => 'all',
    async call({ category }, view) {
      const everything = inventoryOf(view, descriptions, await options.system(view))
      const wanted = category === undefined ? undefined : findCategory(category, everything)
      if (category !== undefined && wanted === undefined) {
        return unknownCategory(
          category,
          everything.map(({ name }) => name),
        )
      }
      const shown = await addExamples(wanted === undefined ? everything : [wanted], view.visible)
      const head = {
        version: environment.server?.version ?? '',
        quickActions:
          options.quickActions?.filter((text) => isShown(text, view)) ?? usedIn(view, await options.mostUsed),
      }
      const room = await roomAfter(head, inventoryBudget, view)
      const { categories, note } =
        wanted === undefined
          ? fitInventory(shown, room)
          : { categories: shown.map((one) => fitCategory(one, room)), note: undefined }
      const notes = [note, describeUnlistedSources(view.sources)].filter((text) => text !== undefined)
      return answer({
        version: head.version,
        categories,
        quickActions: head.quickActions,
        ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
      })
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
      // The schema is made from `input` above, so `properties` is an object.
      properties: { ...(properties as Record<string, unknown>), category: { type: 'string', enum: all } },
    },
  }
}

function inventoryOf(
  view: View,
  descriptions: CategoryDescriptions,
  system: readonly SystemTool[],
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
 * caller with limited rights is shown only names of its tools: another text may name a tool that does not exist for it.
 */
function isShown(text: string, view: View): boolean {
  const target = view.lookup(text)
  return target.found ? target.visibility.degree === 'visible' : view.caller.rights === undefined
}

function usedIn(view: View, ids: readonly ToolId[]): readonly string[] {
  return ids.flatMap((id) => view.visible.get(id)?.listedName ?? []).slice(0, MAX_QUICK_ACTIONS)
}
