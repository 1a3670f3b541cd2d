// Explains why a search found nothing, and suggests near tools. Without this, a model gives up or invents a tool.

import { findSimilarTools } from '../../../core/similarity.ts'
import type { DescribedTool, Disabled, ToolId } from '../../../core/tool.ts'
import { describeUnlistedSources, notStarted } from '../../answer.ts'
import type { SearchableCatalog, SourceView } from '../../view.ts'

export interface NoResults {
  readonly kind: 'nothing'
  readonly why: WhyNothing
  /** Servers that could not be started, so that their tools are unknown. */
  readonly failed?: readonly string[]
  /** As `server:tool`. */
  readonly closest?: readonly string[]
}

type WhyNothing =
  | { readonly kind: 'no-servers'; readonly reason: string | undefined }
  | { readonly kind: 'bad-pattern'; readonly problem: string }
  /** The matching tools that rules disable, and the searched servers. The tools of some servers may be unknown. */
  | { readonly kind: 'no-match'; readonly disabled: readonly Disabled[]; readonly searched: readonly SourceView[] }

const MAX_COUNTED = 100
const MAX_CLOSEST = 3

interface EmptySearch {
  readonly query: string
  readonly server: string | undefined
  /** Set if the query is a name pattern. */
  readonly matches: ((tool: DescribedTool) => boolean) | undefined
  /** Ids of hits that are not relevant enough to be results, best first. */
  readonly nearest: readonly ToolId[]
}

export async function explainNoResults(search: EmptySearch, catalog: SearchableCatalog): Promise<NoResults> {
  const { query, server } = search
  const searched = server === undefined ? catalog.sources : catalog.sources.filter(({ id }) => id === server)
  if (searched.length === 0) return { kind: 'nothing', why: { kind: 'no-servers', reason: catalog.whyNoSources } }
  const tools = catalog.visible.tools.filter((tool) => server === undefined || tool.sourceId === server)
  const closest = search.nearest.length > 0 ? search.nearest : similarlyNamed(query, tools)
  return {
    kind: 'nothing',
    why: {
      kind: 'no-match',
      disabled: await disabledMatches(search, catalog),
      // A failed server explains an empty answer only if no searched server has a tool.
      searched: tools.length === 0 ? searched : searched.filter(({ state }) => state !== 'failed'),
    },
    ...(tools.length === 0 ? {} : notStarted(searched)),
    ...(closest.length === 0 ? {} : { closest: closest.slice(0, MAX_CLOSEST) }),
  }
}

/** `list` names the tool or the command that lists the servers. */
export function describeNothing(why: WhyNothing, list: string): string {
  switch (why.kind) {
    case 'no-servers':
      return why.reason ?? 'No server is available.'
    case 'bad-pattern':
      return `${why.problem}.`
    case 'no-match': {
      const reasons = [...describeDisabled(why.disabled), describeUnlistedSources(why.searched) ?? []].flat()
      return reasons.length > 0 ? reasons.join(' ') : `Nothing fits; try other words, or browse with ${list}.`
    }
  }
}

function similarlyNamed(query: string, tools: readonly DescribedTool[]): readonly ToolId[] {
  const names = findSimilarTools(
    query,
    tools.map((tool) => tool.name),
  )
  return names.flatMap((name) => tools.filter((tool) => tool.name === name)).map((tool) => tool.id)
}

async function disabledMatches(
  { query, server, matches }: EmptySearch,
  catalog: SearchableCatalog,
): Promise<readonly Disabled[]> {
  return matches === undefined
    ? await catalog.searchDisabled(query, { limit: MAX_COUNTED, source: server })
    : catalog.disabledWhere(matches).slice(0, MAX_COUNTED)
}

function describeDisabled(disabled: readonly Disabled[]): readonly string[] {
  if (disabled.length === 0) return []
  const whose = ({ owner }: Disabled) => (owner === 'project' ? ' of the project' : '')
  const named = ['', ' of the project'].flatMap((owner) => {
    const some = disabled.filter((one) => whose(one) === owner)
    const rules = [...new Set(some.flatMap(({ rule }) => rule ?? []))].toSorted((a, b) => a - b)
    return rules.length === 0 ? [] : [`${rules.length === 1 ? 'rule' : 'rules'} ${rules.join(', ')}${owner}`]
  })
  const broken = disabled.filter(({ isUnreadable }) => isUnreadable === true).slice(0, 1)
  const warnings = broken.map(
    (one) =>
      `Rule ${one.rule}${whose(one)} cannot be read, and disables more tools than intended until it is corrected.`,
  )
  const isOne = disabled.length === 1
  const by = named.length > 0 ? `by ${named.join(' and ')}` : `because no rule enables ${isOne ? 'it' : 'them'}`
  const count = disabled.length < MAX_COUNTED ? String(disabled.length) : `${MAX_COUNTED} or more`
  return [`${count} matching ${isOne ? 'tool is' : 'tools are'} disabled ${by}.`, ...warnings]
}
