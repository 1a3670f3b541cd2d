// list_tool_categories: the categories with their number of tools.

import { z } from 'zod'
import { cutLongText } from '../../../core/text.ts'
import { answer } from '../../answer.ts'
import { type CategoryDescriptions, categoriesOf, describeCategory } from '../../categorize.ts'
import { defineMetaTool } from '../../meta-tool.ts'
import type { MetaTool, StrategyEnvironment } from '../../strategy.ts'
import { describeUnlistedSources } from '../../unlisted-sources.ts'

interface CategorySummary {
  readonly category: string
  readonly toolCount: number
  readonly description: string
}

/** Up to this many categories, descriptions are shown in full. */
const FEW = 40
const SHORT_CHARS = 60
const MAX_SHOWN = 500

export function createListCategories(
  { hasContexts }: StrategyEnvironment,
  descriptions: CategoryDescriptions,
): MetaTool {
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
