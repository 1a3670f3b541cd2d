// The three meta-tools to browse by category, for any strategy that offers them.

import { z } from 'zod'
import { cutLongText, firstSentence } from '../../../core/text.ts'
import { answer, restOf } from '../../answer.ts'
import {
  type CategoryDescriptions,
  categoriesOf,
  describeCategory,
  findCategory,
  unknownCategory,
} from '../../categorize.ts'
import { defineMetaTool } from '../../meta-tool.ts'
import type { MetaTool, StrategyEnvironment } from '../../strategy.ts'
import { describeUnlistedSources, stillStarting } from '../../unlisted-sources.ts'
import { toolSchema } from './tool-schema.ts'

export function createBrowseTools(
  environment: StrategyEnvironment,
  descriptions: CategoryDescriptions = {},
): readonly MetaTool[] {
  return [createListCategories(environment, descriptions), createCategoryTools(environment), toolSchema]
}

/** The maximum number of tools in one answer, which then has about 3,000 tokens. */
const PAGE_SIZE = 100

const categoryToolsInput = z.strictObject({
  category: z.string().min(1),
  offset: z.int().min(0).default(0),
})

function createCategoryTools({ hasContexts }: StrategyEnvironment): MetaTool {
  return defineMetaTool({
    name: 'get_category_tools',
    description: 'List the tools of one category, without schemas. Then get_tool_schema.',
    input: categoryToolsInput,
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
      if (found === undefined) {
        return unknownCategory(
          category,
          categories.map(({ name }) => name),
        )
      }
      const shown = found.tools.slice(offset, offset + PAGE_SIZE)
      return answer(
        shown.map(({ listedName, description }) => ({ name: listedName, description: firstSentence(description) })),
        noteOf(restOf({ offset, shown: shown.length, total: found.tools.length }), stillStarting(view.sources)),
      )
    },
  })
}

function noteOf(...parts: readonly (object | undefined)[]): Readonly<Record<string, unknown>> | undefined {
  const note: Readonly<Record<string, unknown>> = Object.assign({}, ...parts)
  return Object.keys(note).length === 0 ? undefined : note
}

interface CategorySummary {
  readonly category: string
  readonly toolCount: number
  readonly description: string
}

/** Up to this many categories, descriptions are shown in full. */
const FEW = 40
const SHORT_CHARS = 60
const MAX_SHOWN = 500

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
      const categories = all.slice(0, MAX_SHOWN).map(
        (category): CategorySummary => ({
          category: category.name,
          toolCount: category.tools.length,
          description: cutLongText(describeCategory(category, view, descriptions), maxChars),
        }),
      )
      const unlisted = describeUnlistedSources(view.sources)
      const note = {
        ...(all.length > MAX_SHOWN ? { total: all.length, shown: MAX_SHOWN } : {}),
        ...(unlisted === undefined ? {} : { note: unlisted }),
      }
      return answer(categories, Object.keys(note).length === 0 ? undefined : note)
    },
  })
}
