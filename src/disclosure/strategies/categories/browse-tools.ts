// The three meta-tools to browse by category, for any strategy that offers them.

import { z } from 'zod'
import { isRecord } from '../../../core/is-record.ts'
import { cutLongText, firstSentence } from '../../../core/text.ts'
import type { Tool } from '../../../core/tool.ts'
import { answer, describeUnlistedSources, restOf, stillStarting } from '../../answer.ts'
import {
  type CategoryDescriptions,
  categoriesOf,
  describeCategory,
  findCategory,
  unknownCategory,
} from '../../categorize.ts'
import { defineMetaTool, namesArgument } from '../../meta-tool.ts'
import { toolsNamed, withSchemas } from '../../needs.ts'
import type { MetaTool, StrategyEnvironment } from '../../strategy.ts'
import { hashOf, toolToDescribe } from '../../tool-to-describe.ts'

export function createBrowseTools(
  environment: StrategyEnvironment,
  descriptions: CategoryDescriptions = {},
): readonly MetaTool[] {
  return [createListCategories(environment, descriptions), createCategoryTools(environment), toolSchema]
}

/** Up to this many categories, descriptions are shown in full. */
const FEW = 40
const SHORT_CHARS = 60
const MAX_CATEGORIES = 500

function createListCategories({ hasContexts }: StrategyEnvironment, descriptions: CategoryDescriptions): MetaTool {
  return defineMetaTool({
    name: 'list_tool_categories',
    description: 'List the categories of tools: what there is, and how many of each. Then get_category_tools.',
    input: z.strictObject({}),
    readOnly: true,
    findsTools: true,
    takesContext: hasContexts,
    needs: () => 'all',
    async call(_input, view) {
      const all = categoriesOf(view)
      const maxChars = all.length > FEW ? SHORT_CHARS : Number.POSITIVE_INFINITY
      const categories = all.slice(0, MAX_CATEGORIES).map((category) => ({
        category: category.name,
        toolCount: category.tools.length,
        description: cutLongText(describeCategory(category, view, descriptions), maxChars),
      }))
      const unlisted = describeUnlistedSources(view.sources)
      return answer(categories, {
        ...(all.length > MAX_CATEGORIES ? { total: all.length, shown: MAX_CATEGORIES } : {}),
        ...(unlisted === undefined ? {} : { note: unlisted }),
      })
    },
  })
}

/** The maximum number of tools in one answer, which then has about 3,000 tokens. */
const PAGE_SIZE = 100

function createCategoryTools({ hasContexts }: StrategyEnvironment): MetaTool {
  return defineMetaTool({
    name: 'get_category_tools',
    description: 'List the tools of one category, without schemas. Then get_tool_schema.',
    input: z.strictObject({ category: z.string().min(1), offset: z.int().min(0).default(0) }),
    inputSchema: {
      type: 'object',
      properties: { category: { type: 'string', minLength: 1 }, offset: { type: 'integer', minimum: 0 } },
      required: ['category'],
      additionalProperties: false,
    },
    readOnly: true,
    findsTools: true,
    takesContext: hasContexts,
    needs: () => 'all',
    async call({ category, offset }, view) {
      const categories = categoriesOf(view)
      const found = findCategory(category, categories)
      if (found === undefined) return unknownCategory(category, categories)
      const shown = found.tools.slice(offset, offset + PAGE_SIZE)
      return answer(
        shown.map(({ listedName, description }) => ({ name: listedName, description: firstSentence(description) })),
        { ...restOf({ offset, shown: shown.length, total: found.tools.length }), ...stillStarting(view.sources) },
      )
    },
  })
}

const MAX_NAMES = 10

const toolSchema = defineMetaTool({
  name: 'get_tool_schema',
  description: `The input schema of a tool, or of up to ${MAX_NAMES}: get it before the first call. It stays valid for the session.`,
  input: z.strictObject({
    toolName: namesArgument({ max: MAX_NAMES }),
    schemaOnly: z.boolean().default(false),
  }),
  inputSchema: {
    type: 'object',
    properties: {
      toolName: {
        type: ['string', 'array'],
        items: { type: 'string', minLength: 1 },
        minLength: 1,
        minItems: 1,
        maxItems: MAX_NAMES,
      },
      schemaOnly: { type: 'boolean', description: 'Without name and description' },
    },
    required: ['toolName'],
    additionalProperties: false,
  },
  readOnly: true,
  findsTools: true,
  // The schema of a tool is the same in every context.
  takesContext: false,
  needs: (args) => withSchemas(toolsNamed(isRecord(args) ? args.toolName : undefined)),
  async call({ toolName, schemaOnly }, view) {
    if (typeof toolName === 'string') {
      const found = toolToDescribe(toolName, view)
      return 'refused' in found ? found.refused : answer(schemaDocument(found.tool, schemaOnly))
    }
    const documents = toolName.map((name) => {
      const found = toolToDescribe(name, view)
      return 'refused' in found ? { name, error: found.refused.error } : schemaDocument(found.tool, schemaOnly)
    })
    return answer(documents)
  },
})

function schemaDocument(tool: Tool, schemaOnly: boolean): unknown {
  const { listedName, description, inputSchema } = tool
  return schemaOnly ? inputSchema : { name: listedName, description, inputSchema, hash: hashOf(tool) }
}
