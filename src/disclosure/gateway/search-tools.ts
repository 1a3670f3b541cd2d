// search_tools: the right tool from a few words, in an answer that costs little.

import { z } from 'zod'
import { signature } from '../../core/parameters/signature.ts'
import { cutLongText, firstSentence, quoteList } from '../../core/text.ts'
import type { Tool } from '../../core/tool.ts'
import { compilePattern } from '../../rules/pattern.ts'
import { answer } from '../answer.ts'
import { defineMetaTool } from '../meta-tool.ts'
import type { View } from '../view.ts'
import { unknownServer } from './list-tools.ts'
import { whyNothing } from './why-nothing.ts'

export interface ToolHit {
  readonly server: string
  readonly tool: string
  readonly summary: string
  readonly relevance: number
  readonly tags?: readonly string[]
  /** On the best hits: often enough to call without asking for details. */
  readonly signature?: string
}

interface Found {
  readonly tool: Tool
  readonly relevance: number
}

const DEFAULT_LIMIT = 10
/** The ranker may be wrong about the first few, so these are shown unless they are far off; further ones only as ties. */
const FEW = 5
const CLIFF = { few: 0.45, further: 0.95 }
const MAX_SIGNATURES = 2
const SUMMARY_CHARS = { best: 90, other: 50 }

const input = z.strictObject({
  query: z.string().min(1),
  server: z.string().min(1).optional(),
  limit: z.int().min(1).max(100).optional(),
})

export const searchTools = defineMetaTool({
  name: 'search_tools',
  description:
    'Find tools by what they do, or by name with a glob or /regex/. If the signature says enough call execute_tool, else get_tool_details.',
  input,
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string' }, server: { type: 'string' }, limit: { type: 'integer' } },
    required: ['query'],
  },
  readOnly: true,
  takesContext: false,
  needs: () => 'all',
  async call({ query, server, limit }, view) {
    if (server !== undefined && view.sources.every(({ id }) => id !== server)) return unknownServer(server, view)
    const matches = isPattern(query) ? nameTest(query, server) : undefined
    if (typeof matches === 'string') return answer({ results: [], reason: matches })
    const found =
      matches === undefined
        ? await byMeaning(query, server, limit, view)
        : view.visible.tools.filter(matches).map((tool) => ({ tool, relevance: 1 }))
    if (found.length === 0) return answer({ results: [], ...(await whyNothing({ query, server, matches }, view)) })
    const shown = found.slice(0, limit ?? DEFAULT_LIMIT)
    return answer({
      results: shown.map(toHit),
      ...(shown.length < found.length ? { total: found.length } : {}),
    })
  },
})

async function byMeaning(
  query: string,
  source: string | undefined,
  limit: number | undefined,
  view: View,
): Promise<readonly Found[]> {
  const hits = await view.search(query, { limit: limit ?? DEFAULT_LIMIT, source })
  const best = hits[0]?.relevance ?? 0
  // Whoever asks for a number of hits gets it.
  const kept =
    limit === undefined
      ? hits.filter((hit, at) => hit.relevance >= best * (at < FEW ? CLIFF.few : CLIFF.further))
      : hits
  return kept.flatMap(({ id, relevance }) => {
    const tool = view.visible.get(id)
    return tool === undefined ? [] : [{ tool, relevance }]
  })
}

/** Words with spaces between them, or a question mark at their end, are no pattern. */
function isPattern(query: string): boolean {
  return /^!?\/.+\/[a-z]*$/s.test(query) || (!/\s/.test(query) && /[*{[]/.test(query))
}

/** As the rules match: with a server the tool's name, without one the name or `server_name`. Else what is wrong with it. */
function nameTest(query: string, server: string | undefined): ((tool: Tool) => boolean) | string {
  const compiled = compilePattern(query)
  if (!compiled.ok)
    return `The pattern ${quoteList([cutLongText(query, 80)])} cannot be read: ${compiled.problem.message}.`
  const { pattern } = compiled
  const matches = ({ name, sourceId }: Tool) =>
    pattern.matches(name) || (server === undefined && pattern.matches(`${sourceId}_${name}`))
  return (tool) => (server === undefined || tool.sourceId === server) && matches(tool) !== pattern.negated
}

function toHit({ tool, relevance }: Found, at: number): ToolHit {
  const { sourceId, name, description, tags = [], inputSchema } = tool
  const isBest = at < MAX_SIGNATURES
  return {
    server: sourceId,
    tool: name,
    summary: firstSentence(description, isBest ? SUMMARY_CHARS.best : SUMMARY_CHARS.other),
    relevance,
    ...(tags.length === 0 ? {} : { tags }),
    ...(isBest ? { signature: signature(name, inputSchema) } : {}),
  }
}
