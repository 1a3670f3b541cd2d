// The action `list` of manage_tools: names and short descriptions of the tools that can be enabled, in pages.

import type { CommandResult } from '../../../core/result.ts'
import { findSimilarTools } from '../../../core/similarity.ts'
import { firstSentence } from '../../../core/text.ts'
import type { Tool, ToolId } from '../../../core/tool.ts'
import { answer, pastTheEnd, restOf } from '../../answer.ts'
import { describeUnlistedSources, stillStarting } from '../../unlisted-sources.ts'
import type { View } from '../../view.ts'
import { describeErrors, type NamedTools, refuseAll, selectTools } from './select-tools.ts'

interface ListRequest extends NamedTools {
  readonly search?: string | undefined
  readonly offset: number
  readonly limit: number
}

const MAX_DESCRIPTION_CHARS = 80
/** Hits with less than this share of the best relevance are left out. */
const LEAST_SHARE = 0.5
/** The first hits, up to this many, are shown even if their share is lower. */
const MIN_HITS = 5
const MAX_HITS = 200

export async function listAvailable(
  request: ListRequest,
  enabled: ReadonlySet<ToolId>,
  view: View,
): Promise<CommandResult> {
  const { search, offset, limit } = request
  const isNarrowed = request.names.length > 0 || request.category !== undefined
  const selection = isNarrowed ? selectTools(request, view) : { tools: view.visible.tools, errors: [] }
  const refused = selection.tools.length === 0 ? refuseAll(selection.errors) : undefined
  if (refused !== undefined) return refused
  const matching = search === undefined ? selection.tools : await searchIn(selection.tools, search, view)
  const page = matching.slice(offset, offset + limit)
  const note = {
    ...restOf({ offset, shown: page.length, total: matching.length }),
    ...describeErrors(selection.errors),
    ...(page.length === 0 ? whyEmpty(matching.length, search, view) : stillStarting(view.sources)),
  }
  return answer(
    page.map((tool) => summarize(tool, enabled)),
    Object.keys(note).length === 0 ? undefined : note,
  )
}

function summarize({ id, listedName, description }: Tool, enabled: ReadonlySet<ToolId>) {
  return {
    name: listedName,
    description: firstSentence(description, MAX_DESCRIPTION_CHARS),
    ...(enabled.has(id) ? { enabled: true } : {}),
  }
}

/** The tools that the search finds, best first. */
async function searchIn(tools: readonly Tool[], query: string, view: View): Promise<readonly Tool[]> {
  const hits = await view.search(query, { limit: MAX_HITS })
  const byId = new Map(tools.map((tool) => [tool.id, tool]))
  const within = hits.filter(({ id }) => byId.has(id))
  const best = within[0]?.relevance ?? 0
  return within
    .filter(({ relevance }, at) => at < MIN_HITS || relevance >= best * LEAST_SHARE)
    .flatMap(({ id }) => byId.get(id) ?? [])
}

function whyEmpty(total: number, search: string | undefined, view: View) {
  if (total > 0) return { reason: pastTheEnd(total) }
  const reason = describeUnlistedSources(view.sources)
  if (search === undefined) return { reason: reason ?? 'There are no tools.' }
  const closest = findSimilarTools(search, view.visible.names)
  return {
    reason: reason ?? 'Nothing matches; try other words, or leave search out to list all.',
    ...(closest.length === 0 ? {} : { closest }),
  }
}
