// The answer of search_tools: the right tools for a few words, in few tokens.

import { signature } from '../../../core/parameters/signature.ts'
import type { CommandResult } from '../../../core/result.ts'
import { firstSentence } from '../../../core/text.ts'
import type { DescribedTool } from '../../../core/tool.ts'
import { LEAST_RELEVANCE } from '../../../search/ranker.ts'
import { answer } from '../../answer.ts'
import type { SearchableCatalog } from '../../searchable-catalog.ts'
import { stillStarting } from '../../unlisted-sources.ts'
import { explainNoResults } from './explain-no-results.ts'
import { unknownServer } from './unknown-server.ts'

export interface ToolHit {
  readonly server: string
  readonly tool: string
  readonly summary: string
  readonly relevance: number
  readonly tags?: readonly string[]
  /** Only on the best hits: often enough for a call without asking for details. */
  readonly signature?: string
}

interface Found {
  readonly tool: DescribedTool
  readonly relevance: number
}

const DEFAULT_LIMIT = 10
/**
 * The ranker may be wrong about the order of the first few hits, so they are shown unless they are far less relevant
 * than the best. Further hits are shown only if they are almost as relevant.
 */
const FEW = 5
const CLIFF = { few: 0.45, further: 0.95 }
const MAX_SIGNATURES = 2
const SUMMARY_CHARS = { best: 90, other: 50 }

export interface ToolQuery {
  readonly query: string
  readonly server?: string | undefined
  readonly limit?: number | undefined
  /** Default: true. */
  readonly withSignatures?: boolean | undefined
}

export async function findTools(
  { query, server, limit, withSignatures = true }: ToolQuery,
  catalog: SearchableCatalog,
): Promise<CommandResult> {
  if (server !== undefined && catalog.sources.every(({ id }) => id !== server)) return unknownServer(server, catalog)
  const matches = isPattern(query) ? await nameTest(query, server) : undefined
  if (typeof matches === 'string') return answer({ results: [], reason: matches })
  const found =
    matches === undefined
      ? await byMeaning(query, server, limit, catalog)
      : catalog.visible.tools.filter(matches).map((tool) => ({ tool, relevance: 1 }))
  if ((found[0]?.relevance ?? 0) < LEAST_RELEVANCE) {
    const nearest = found.map(({ tool }) => tool.id)
    return answer({ results: [], ...(await explainNoResults({ query, server, matches, nearest }, catalog)) })
  }
  const shown = found.slice(0, limit ?? DEFAULT_LIMIT)
  return answer({
    results: shown.map((one, at) => toHit(one, at, withSignatures)),
    ...(shown.length < found.length ? { total: found.length } : {}),
    ...stillStarting(catalog.sources.filter(({ id }) => server === undefined || id === server)),
  })
}

async function byMeaning(
  query: string,
  source: string | undefined,
  limit: number | undefined,
  catalog: SearchableCatalog,
): Promise<readonly Found[]> {
  const hits = await catalog.search(query, { limit: limit ?? DEFAULT_LIMIT, source })
  const best = hits[0]?.relevance ?? 0
  // A caller that asks for a number of hits gets that number.
  const kept =
    limit === undefined
      ? hits.filter((hit, at) => hit.relevance >= best * (at < FEW ? CLIFF.few : CLIFF.further))
      : hits
  return kept.flatMap(({ id, relevance }) => {
    const tool = catalog.visible.get(id)
    return tool === undefined ? [] : [{ tool, relevance }]
  })
}

/** A query with spaces, or with a question mark at its end, is not a pattern. */
function isPattern(query: string): boolean {
  return /^!?\/.+\/[a-z]*$/s.test(query) || (!/\s/.test(query) && /[*{[]/.test(query))
}

/**
 * Matches like the rules: with a server the tool's name, without one the name or `server_name`. Returns a text with the
 * fault if the pattern is invalid.
 */
async function nameTest(
  query: string,
  server: string | undefined,
): Promise<((tool: DescribedTool) => boolean) | string> {
  // Loaded on demand: loading the pattern compiler takes longer than a search.
  const { compilePattern } = await import('../../../rules/pattern.ts')
  const compiled = compilePattern(query)
  if (!compiled.ok) return `${compiled.problem.message}.`
  const { pattern } = compiled
  const matches = ({ name, sourceId }: DescribedTool) =>
    pattern.matches(name) || (server === undefined && pattern.matches(`${sourceId}_${name}`))
  return (tool) => (server === undefined || tool.sourceId === server) && matches(tool) !== pattern.negated
}

function toHit({ tool, relevance }: Found, at: number, withSignatures: boolean): ToolHit {
  const { sourceId, name, description, tags = [], inputSchema, isSchemaUnknown = false } = tool
  const isBest = at < MAX_SIGNATURES
  return {
    server: sourceId,
    tool: name,
    summary: firstSentence(description, isBest ? SUMMARY_CHARS.best : SUMMARY_CHARS.other),
    relevance,
    ...(tags.length === 0 ? {} : { tags }),
    ...(isBest && withSignatures && !isSchemaUnknown ? { signature: signature(name, inputSchema) } : {}),
  }
}
