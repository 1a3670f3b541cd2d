// get_category_tools: the tools of one category, one line each, without schemas.

import { z } from 'zod'
import { firstSentence } from '../../../core/text.ts'
import { answer, restOf } from '../../answer.ts'
import { categoriesOf, findCategory, unknownCategory } from '../../categorize.ts'
import { defineMetaTool } from '../../meta-tool.ts'
import type { MetaTool, StrategyEnvironment } from '../../strategy.ts'
import { stillStarting } from '../../unlisted-sources.ts'

/** An answer of about 3,000 tokens. */
const PAGE = 100

const input = z.strictObject({
  category: z.string().min(1),
  offset: z.int().min(0).default(0),
})

export function createCategoryTools({ hasContexts }: StrategyEnvironment): MetaTool {
  return defineMetaTool({
    name: 'get_category_tools',
    description: 'List the tools of one category, without schemas. Then get_tool_schema.',
    input,
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
      const shown = found.tools.slice(offset, offset + PAGE)
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
