// Selects the tools of a manage_tools call by name and category, and lists them for the action `list`.

import { type CommandError, type CommandResult, type FailureResult, failure } from '../../../core/result.ts'
import { findSimilarTools } from '../../../core/similarity.ts'
import { firstSentence } from '../../../core/text.ts'
import type { Tool, ToolId } from '../../../core/tool.ts'
import { answer, describeUnlistedSources, pastTheEnd, restOf, stillStarting } from '../../answer.ts'
import { categoriesOf, findCategory, unknownCategory } from '../../categorize.ts'
import type { View } from '../../view.ts'

export interface NamedTools {
  readonly names: readonly string[]
  readonly category: string | undefined
}

interface ToolSelection {
  /** Each tool once, in the order of the catalog. */
  readonly tools: readonly Tool[]
  /** The names that are refused, and an unknown category, each with the error. */
  readonly errors: readonly SelectionError[]
  /** The failure if there are only errors. */
  readonly refused?: FailureResult
}

export interface SelectionError {
  readonly name: string
  readonly error: CommandError
}

export function selectTools({ names, category }: NamedTools, view: View): ToolSelection {
  const found = new Set<Tool>()
  const errors: SelectionError[] = []
  for (const name of new Set(names)) {
    const refused = view.refusal(name)
    const target = view.lookup(name)
    if (refused !== undefined) errors.push({ name, error: refused.error })
    else if (target.found) found.add(target.tool)
  }
  if (category !== undefined) {
    const categories = categoriesOf(view)
    const members = findCategory(category, categories)
    if (members === undefined) errors.push({ name: category, error: unknownCategory(category, categories).error })
    else for (const tool of members.tools) found.add(tool)
  }
  const tools = view.visible.tools.filter((tool) => found.has(tool))
  const [first, ...others] = errors
  if (tools.length > 0 || first === undefined) return { tools, errors }
  const details = others.length === 0 ? {} : { details: describeErrors(errors) }
  return { tools, errors, refused: failure({ ...first.error, ...details }) }
}

/** The errors for the answer; empty if there are none. */
export function describeErrors(errors: readonly SelectionError[]) {
  if (errors.length === 0) return {}
  return {
    errors: errors.map(({ name, error: { code, message, suggestion } }) => ({ name, code, message, suggestion })),
  }
}

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

/** The action `list`: names and short descriptions of the tools that can be enabled, in pages. */
export async function listAvailable(
  request: ListRequest,
  enabled: ReadonlySet<ToolId>,
  view: View,
): Promise<CommandResult> {
  const { search, offset, limit } = request
  const isNarrowed = request.names.length > 0 || request.category !== undefined
  const everything: ToolSelection = { tools: view.visible.tools, errors: [] }
  const { tools, errors, refused } = isNarrowed ? selectTools(request, view) : everything
  if (refused !== undefined) return refused
  const matching = search === undefined ? tools : await searchIn(tools, search, view)
  const page = matching.slice(offset, offset + limit)
  const entries = page.map(({ id, listedName, description }) => ({
    name: listedName,
    description: firstSentence(description, MAX_DESCRIPTION_CHARS),
    ...(enabled.has(id) ? { enabled: true } : {}),
  }))
  return answer(entries, {
    ...restOf({ offset, shown: page.length, total: matching.length }),
    ...describeErrors(errors),
    ...(page.length === 0 ? whyEmpty(matching.length, search, view) : stillStarting(view.sources)),
  })
}

/** The tools that the search finds, best first. */
async function searchIn(tools: readonly Tool[], query: string, view: View): Promise<readonly Tool[]> {
  const hits = await view.search(query, { limit: MAX_HITS })
  const byId = new Map(tools.map((tool) => [tool.id, tool]))
  const within = hits.filter(({ id }) => byId.has(id))
  const least = (within[0]?.relevance ?? 0) * LEAST_SHARE
  const best = within.filter(({ relevance }, at) => at < MIN_HITS || relevance >= least)
  return best.flatMap(({ id }) => byId.get(id) ?? [])
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
