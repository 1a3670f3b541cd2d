// afd-discover: the catalog in compact summaries, filtered and in pages.

import { z } from 'zod'
import { success } from '../../core/result.ts'
import { cutLongText, firstSentence } from '../../core/text.ts'
import type { Tool } from '../../core/tool.ts'
import { defineMetaTool } from '../meta-tool.ts'
import type { MetaTool, StrategyEnvironment } from '../strategy.ts'
import type { View } from '../view.ts'

export interface CommandSummary {
  readonly name: string
  readonly description: string
  readonly category?: string
  readonly mutation?: boolean
}

export interface DiscoverResult {
  readonly commands: readonly CommandSummary[]
  readonly total: number
  readonly filtered: number
  readonly returned: number
  readonly hasMore: boolean
  /** Of all commands, not only of the filtered ones. */
  readonly availableCategories: readonly string[]
  readonly availableTags: readonly string[]
  /** Where the search matched nothing: what comes nearest. */
  readonly closest?: readonly CommandSummary[]
}

const MAX_CLOSEST = 5

const input = z.object({
  category: z.string().optional(),
  tag: z.union([z.string(), z.array(z.string())]).optional(),
  tagMode: z.enum(['all', 'any']).default('any'),
  search: z.string().describe('Words that must all occur').optional(),
  includeMutation: z.boolean().default(false),
  limit: z.number().int().min(1).max(200).default(50),
  offset: z.number().int().min(0).default(0),
})

export function createDiscover({ prefix, hasContexts }: StrategyEnvironment): MetaTool {
  return defineMetaTool({
    name: `${prefix}-discover`,
    description: `List the server's commands, one line each, by category, tag or search. Then ${prefix}-detail.`,
    input,
    readOnly: true,
    takesContext: hasContexts,
    async call(filter, view) {
      const startedAt = performance.now()
      const matching = view.visible.tools.filter(matcher(filter))
      const page = matching.slice(filter.offset, filter.offset + filter.limit)
      const hasMore = filter.offset + page.length < matching.length
      const closest = matching.length === 0 ? await nearest(view, filter.search) : undefined
      const data: DiscoverResult = {
        commands: page.map((tool) => summarize(tool, filter.includeMutation)),
        total: view.visible.tools.length,
        filtered: matching.length,
        returned: page.length,
        hasMore,
        availableCategories: view.visible.categories,
        availableTags: view.visible.tags,
        ...(closest === undefined ? {} : { closest }),
      }
      return success(data, {
        reasoning: explain(data, filter),
        confidence: 1,
        metadata: { executionTimeMs: Math.round((performance.now() - startedAt) * 100) / 100 },
      })
    },
  })
}

function summarize(tool: Tool, includeMutation: boolean): CommandSummary {
  return {
    name: tool.listedName,
    description: firstSentence(tool.description),
    category: tool.category,
    ...(includeMutation ? { mutation: tool.traits.mutation ?? false } : {}),
  }
}

function matcher({ category, tag, tagMode, search }: z.output<typeof input>): (tool: Tool) => boolean {
  const tags = typeof tag === 'string' ? [tag] : tag
  const words = [...new Set(search?.toLowerCase().split(/\s+/).filter(Boolean))]
  return (tool) => {
    if (category !== undefined && tool.category !== category) return false
    const has = (one: string) => tool.tags?.includes(one) === true
    if (tags !== undefined && !(tagMode === 'all' ? tags.every(has) : tags.some(has))) return false
    const text = `${tool.listedName} ${tool.description}`.toLowerCase()
    return words.every((word) => text.includes(word))
  }
}

async function nearest(view: View, query: string | undefined): Promise<readonly CommandSummary[] | undefined> {
  if (query === undefined || query.trim() === '') return undefined
  const hits = await view.search(query, MAX_CLOSEST)
  const tools = hits.flatMap((hit) => view.visible.get(hit.id) ?? [])
  return tools.length === 0 ? undefined : tools.map((tool) => summarize(tool, false))
}

function explain(
  { returned, filtered, total, hasMore, closest }: DiscoverResult,
  filter: z.output<typeof input>,
): string {
  const where = filter.category === undefined ? '' : ` in category '${cutLongText(filter.category, 80)}'`
  const more = hasMore ? `. Use offset: ${filter.offset + filter.limit} to see more.` : ''
  const near = closest === undefined ? '' : '. Nothing matches; `closest` lists what comes nearest to the search.'
  return `Returned ${returned} of ${filtered} matching commands (${total} total)${where}${more}${near}`
}
