// The meta-tool afd-discover: lists commands as short summaries, with filters and pages.

import { z } from 'zod'
import { success } from '../../../core/result.ts'
import { cutLongText, firstSentence } from '../../../core/text.ts'
import type { Tool } from '../../../core/tool.ts'
import { describeUnlistedSources } from '../../answer.ts'
import { defineMetaTool } from '../../meta-tool.ts'
import type { MetaTool, StrategyEnvironment } from '../../strategy.ts'
import type { View } from '../../view.ts'

/** A command in one line, as `afd-discover` lists it. */
export interface CommandSummary {
  /** The name to call. */
  readonly name: string
  /** The first sentence of the description, cut at 120 characters. */
  readonly description: string
  /** The declared or derived category. */
  readonly category?: string
  /** Only on request, and only if the command declares it. */
  readonly mutation?: boolean
}

/** The data of `afd-discover`: one page of the commands, and the categories and tags to filter by. */
export interface DiscoverResult {
  /** The commands of this page. */
  readonly commands: readonly CommandSummary[]
  /** The number of all visible commands. */
  readonly total: number
  /** The number of commands that the filters match. */
  readonly filtered: number
  /** The number of commands in this page. */
  readonly returned: number
  /** Whether there is a next page. */
  readonly hasMore: boolean
  /** The categories of all visible commands, not only of those that the filters match. */
  readonly availableCategories: readonly string[]
  /** The tags of all visible commands, not only of those that the filters match. */
  readonly availableTags: readonly string[]
  /** The commands nearest to the search, if no command matches all filters. */
  readonly closest?: readonly CommandSummary[]
}

const MAX_CLOSEST = 5

// Strict: a misspelt filter would otherwise be ignored, and every command would match.
const input = z.strictObject({
  category: z.string().optional(),
  tag: z.union([z.string(), z.array(z.string())]).optional(),
  tagMode: z.enum(['all', 'any']).default('any'),
  search: z.string().describe('Words that must all occur').optional(),
  // Obvious defaults stay out of the schema, because each costs every client tokens.
  includeMutation: z.boolean().optional(),
  limit: z.number().int().min(1).max(200).default(50),
  offset: z.number().int().min(0).optional(),
})

export function createDiscover({ prefix, hasContexts }: StrategyEnvironment): MetaTool {
  return defineMetaTool({
    name: `${prefix}-discover`,
    description: `List the server's commands, one line each, by category, tag or search. Then ${prefix}-detail.`,
    input,
    readOnly: true,
    findsTools: true,
    takesContext: hasContexts,
    needs: () => 'all',
    async call(filter, view) {
      const startedAt = performance.now()
      const { offset = 0, limit, includeMutation = false } = filter
      const matching = view.visible.tools.filter(createMatcher(filter))
      const page = matching.slice(offset, offset + limit)
      const hasMore = offset + page.length < matching.length
      const closest = matching.length === 0 ? await findNearest(view, filter.search) : undefined
      const data: DiscoverResult = {
        commands: page.map((tool) => summarize(tool, includeMutation)),
        total: view.visible.tools.length,
        filtered: matching.length,
        returned: page.length,
        hasMore,
        availableCategories: view.visible.categories,
        availableTags: view.visible.tags,
        ...(closest === undefined ? {} : { closest }),
      }
      return success(data, {
        reasoning: explain(data, filter.category, offset + limit, describeUnlistedSources(view.sources)),
        confidence: 1,
        metadata: { executionTimeMs: Math.round((performance.now() - startedAt) * 100) / 100 },
      })
    },
  })
}

function summarize(tool: Tool, includeMutation: boolean): CommandSummary {
  const { mutation } = tool.traits
  return {
    name: tool.listedName,
    description: firstSentence(tool.description),
    category: tool.category,
    ...(includeMutation && mutation !== undefined ? { mutation } : {}),
  }
}

function createMatcher({ category, tag, tagMode, search }: z.output<typeof input>): (tool: Tool) => boolean {
  const tags = tag === undefined ? undefined : new Set([tag].flat())
  const words = [...new Set(search?.toLowerCase().split(/\s+/).filter(Boolean))]
  return (tool) => {
    if (category !== undefined && tool.category !== category) return false
    if (tags !== undefined && !fitsTags(tool.tags ?? [], tags, tagMode)) return false
    const text = `${tool.listedName} ${tool.description}`.toLowerCase()
    return words.every((word) => text.includes(word))
  }
}

/** Loops over the tool's own tags: a tool has a few, but a caller may send any number. */
function fitsTags(own: readonly string[], wanted: ReadonlySet<string>, mode: 'all' | 'any'): boolean {
  const shared = new Set(own.filter((tag) => wanted.has(tag)))
  return mode === 'all' ? shared.size === wanted.size : shared.size > 0
}

async function findNearest(view: View, query: string | undefined): Promise<readonly CommandSummary[] | undefined> {
  if (query === undefined || query.trim() === '') return undefined
  const hits = await view.search(query, { limit: MAX_CLOSEST })
  const tools = hits.flatMap((hit) => view.visible.get(hit.id) ?? [])
  return tools.length === 0 ? undefined : tools.map((tool) => summarize(tool, false))
}

function explain(
  { returned, filtered, total, hasMore, closest }: DiscoverResult,
  category: string | undefined,
  nextOffset: number,
  unlisted = '',
): string {
  const where = category === undefined ? '' : ` in category '${cutLongText(category, 80)}'`
  const more = hasMore ? `. Use offset: ${nextOffset} to see more.` : ''
  const near = closest === undefined ? '' : '. Nothing matches; `closest` lists the nearest commands.'
  const counted = `Returned ${returned} of ${filtered} matching ${filtered === 1 ? 'command' : 'commands'} (${total} total)${where}${more}${near}`
  return unlisted === '' ? counted : `${counted.replace(/\.?$/, '.')} ${unlisted}`
}
