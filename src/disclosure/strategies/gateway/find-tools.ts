// Finds tools for a query, by its words or as a name pattern, and formats them in few tokens.

import { defined } from '../../../core/defined.ts'
import { signature } from '../../../core/parameters/signature.ts'
import { firstSentence } from '../../../core/text.ts'
import type { DescribedTool } from '../../../core/tool.ts'
import { LEAST_RELEVANCE } from '../../../search/ranker.ts'
import { stillStarting } from '../../answer.ts'
import type { SearchableCatalog } from '../../view.ts'
import { describeNothing, explainNoResults, type NoResults } from './explain-no-results.ts'
import { type UnknownServer, unknownServer } from './pages.ts'

/** A found tool as search_tools shows it. */
export interface ToolHit {
  readonly server: string
  readonly tool: string
  readonly summary: string
  readonly relevance: number
  readonly tags?: readonly string[]
  /** Only on the best hits. In most cases, a model can call the tool from it without asking for details. */
  readonly signature?: string
}

export interface FoundTool {
  readonly tool: DescribedTool
  readonly relevance: number
}

export interface Findings {
  readonly kind: 'found'
  /** Best first. */
  readonly tools: readonly FoundTool[]
  /** The number of tools that match a name pattern, if the limit cut some off. */
  readonly total?: number
  /** Servers that are still starting, so that their tools are missing. */
  readonly starting?: readonly string[]
}

const DEFAULT_LIMIT = 10
/**
 * The share of the best relevance that a hit must have. The ranker may be wrong about the order of the first few hits,
 * so they are shown unless they are far less relevant. Further hits are shown only if they are almost as relevant.
 */
const LEAST_SHARE = { few: 0.45, further: 0.95 }
const FEW = 5
const MAX_SIGNATURES = 2
const SUMMARY_CHARS = { best: 90, other: 50 }

export interface ToolQuery {
  readonly query: string
  readonly server?: string | undefined
  readonly limit?: number | undefined
}

export async function findTools(
  { query, server, limit }: ToolQuery,
  catalog: SearchableCatalog,
): Promise<Findings | NoResults | UnknownServer> {
  if (server !== undefined && catalog.sources.every(({ id }) => id !== server)) return unknownServer(server, catalog)
  const matches = isPattern(query) ? await compileNameTest(query, server) : undefined
  if (typeof matches === 'string') return { kind: 'nothing', why: { kind: 'bad-pattern', problem: matches } }
  const found =
    matches === undefined
      ? await searchCatalog(query, server, limit, catalog)
      : catalog.visible.tools.filter(matches).map((tool) => ({ tool, relevance: 1 }))
  if ((found[0]?.relevance ?? 0) < LEAST_RELEVANCE) {
    const nearest = found.map(({ tool }) => tool.id)
    return explainNoResults({ query, server, matches, nearest }, catalog)
  }
  const tools = found.slice(0, limit ?? DEFAULT_LIMIT)
  return {
    kind: 'found',
    tools,
    ...(tools.length < found.length ? { total: found.length } : {}),
    ...stillStarting(catalog.sources.filter(({ id }) => server === undefined || id === server)),
  }
}

/** The answer of a search as JSON. `list` names the tool or the command that lists the servers. */
export function searchDocument(found: Findings | NoResults, list: string) {
  if (found.kind === 'nothing') {
    const { kind: _kind, why, ...rest } = found
    return { results: [], reason: describeNothing(why, list), ...rest }
  }
  const { kind: _kind, tools, ...rest } = found
  return { results: tools.map(toHit), ...rest }
}

async function searchCatalog(
  query: string,
  source: string | undefined,
  limit: number | undefined,
  catalog: SearchableCatalog,
): Promise<readonly FoundTool[]> {
  const hits = await catalog.search(query, { limit: limit ?? DEFAULT_LIMIT, source })
  // The other hits are compared with the relevance of this one.
  const reference = hits.find(({ id }) => !isNamedInSentence(catalog.visible.get(id), query)) ?? hits[0]
  const best = reference?.relevance ?? 0
  // A caller that asks for a number of hits gets up to that number, even if some are far less relevant.
  const kept =
    limit === undefined
      ? hits.filter((hit, at) => hit.relevance >= best * (at < FEW ? LEAST_SHARE.few : LEAST_SHARE.further))
      : hits
  return kept.flatMap(({ id, relevance }) => {
    const tool = catalog.visible.get(id)
    return tool === undefined ? [] : [{ tool, relevance }]
  })
}

/**
 * Whether one of several sentences names the tool. The name makes it the best hit, but the other sentences may describe
 * another tool, so other hits are not compared with the relevance of this one.
 */
function isNamedInSentence(tool: DescribedTool | undefined, query: string): boolean {
  // A name of one word, such as `search`, is an ordinary word of a sentence.
  if (tool === undefined || !/[_.:-]|[a-z][A-Z]/.test(tool.name)) return false
  return /[.!?]\s+\S/.test(query) && query.toLowerCase().includes(tool.name.toLowerCase())
}

/**
 * Whether the query is a name pattern. A `?` does not make it one, because questions end with a `?`. Only a `/regex/`
 * may contain spaces.
 */
export function isPattern(query: string): boolean {
  return /^!?\/.+\/[a-z]*$/s.test(query) || (!/\s/.test(query) && /[*{[]/.test(query))
}

/**
 * Matches like the rules: a name such as `create_issue` or, if no server is given, also `github_create_issue`. Returns
 * a text with the fault if the pattern is invalid.
 */
async function compileNameTest(
  query: string,
  server: string | undefined,
): Promise<((tool: DescribedTool) => boolean) | string> {
  // Loaded on demand: loading the pattern compiler takes longer than a search.
  const { compilePattern } = await import('../../../rules/pattern.ts')
  const compiled = compilePattern(query)
  if (!compiled.ok) return compiled.problem.message
  const { pattern } = compiled
  const matches = ({ name, sourceId }: DescribedTool) =>
    pattern.matches(name) || (server === undefined && pattern.matches(`${sourceId}_${name}`))
  return (tool) => (server === undefined || tool.sourceId === server) && matches(tool) !== pattern.negated
}

function toHit({ tool, relevance }: FoundTool, at: number): ToolHit {
  const { sourceId, name, description, tags = [] } = tool
  return defined({
    server: sourceId,
    tool: name,
    summary: firstSentence(description, at < MAX_SIGNATURES ? SUMMARY_CHARS.best : SUMMARY_CHARS.other),
    relevance,
    tags: tags.length === 0 ? undefined : tags,
    signature: signatureOf(tool, at),
  })
}

/** Undefined if the tool is not one of the best hits, or if its schema is unknown. */
export function signatureOf({ name, inputSchema, isSchemaUnknown }: DescribedTool, at: number): string | undefined {
  return at < MAX_SIGNATURES && isSchemaUnknown !== true ? signature(name, inputSchema) : undefined
}
