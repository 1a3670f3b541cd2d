// The search page: the ranked tools with the reasons, and the text that the model gets under each strategy.

import { firstSentence, quoteList } from '../../core/text.ts'
import { describeNothing, explainNoResults } from '../../disclosure/strategies/gateway/explain-no-results.ts'
import type { TaskClient } from '../../disclosure/strategy-task.ts'
import type { View } from '../../disclosure/view.ts'
import { type Explanation, type Hit, LEAST_RELEVANCE } from '../../search/ranker.ts'
import type { InspectorAnswer, InspectorHit, InspectorReason, InspectorSearch } from './api.ts'
import { type ComparedStrategies, type ComparedStrategy, taskToolOf } from './compared-strategies.ts'
import type { TokenCosts } from './token-costs.ts'
import { Refusal, type Visit } from './visit.ts'

const MAX_QUERY_CHARS = 500
const MAX_HITS = 20
const MAX_TEXT_CHARS = 20_000
const MAX_REASONS = 12

export function createSearch(
  strategies: ComparedStrategies,
  tokens: TokenCosts,
): (visit: Visit) => Promise<InspectorSearch> {
  return async ({ query: given, view, signal }) => {
    const query = (given.get('q') ?? '').trim()
    if (query.length > MAX_QUERY_CHARS) {
      throw new Refusal({
        status: 400,
        message: `The text to search for must have at most ${MAX_QUERY_CHARS} characters.`,
      })
    }
    const compared = chooseStrategies(given.get('strategies'), strategies, signal)
    if (query === '') return { query, hits: [], answers: [] }
    const hits = await view.search(query, { limit: MAX_HITS })
    const answers: InspectorAnswer[] = []
    for (const one of compared) answers.push(await answerOf(one, query, hits, view, tokens))
    const isFound = (hits[0]?.relevance ?? 0) >= LEAST_RELEVANCE
    return {
      query,
      hits: await Promise.all(hits.map((hit) => describeHit(hit, query, view))),
      answers,
      ...(isFound ? {} : { reason: await explainNothing(query, hits, view) }),
    }
  }
}

/** The strategies named in the parameter `strategies`. Default: the current strategy. */
function chooseStrategies(
  text: string | null,
  strategies: ComparedStrategies,
  signal: AbortSignal,
): readonly ComparedStrategy[] {
  const names = text === null ? [strategies.current] : [...new Set(text.split(',').filter((name) => name !== ''))]
  return names.map((name) => {
    const strategy = strategies.names.includes(name) ? strategies.create(name, signal) : undefined
    if (strategy !== undefined) return strategy
    throw new Refusal({
      status: 400,
      code: 'UNKNOWN_STRATEGY',
      message: `No strategy is named '${name.slice(0, 100)}'.`,
      fix: `Use one of ${quoteList(strategies.names)}.`,
    })
  })
}

async function describeHit({ id, relevance }: Hit, query: string, view: View): Promise<InspectorHit> {
  const explanation = await view.explain(query, id)
  const summary = firstSentence(view.visible.get(id)?.description ?? '')
  return { id, relevance: round(relevance), summary, reasons: reasonsIn(explanation) }
}

function reasonsIn(explanation: Explanation | undefined): readonly InspectorReason[] {
  const reasons = (explanation?.reasons ?? []).flatMap(({ word, term, fields, share }) =>
    fields.map((one): InspectorReason => ({ word, term, field: one.field, score: round(share * one.share) })),
  )
  return reasons.toSorted((a, b) => b.score - a.score).slice(0, MAX_REASONS)
}

async function explainNothing(query: string, hits: readonly Hit[], view: View): Promise<string> {
  const nearest = hits.map(({ id }) => id)
  const { why } = await explainNoResults({ query, server: undefined, matches: undefined, nearest }, view)
  return describeNothing(why, 'the catalog')
}

/** Runs the script by which an agent finds a tool. If the script only reads the listing, the listing is the answer. */
async function answerOf(
  compared: ComparedStrategy,
  query: string,
  hits: readonly Hit[],
  view: View,
  tokens: TokenCosts,
): Promise<InspectorAnswer> {
  const requests: string[] = []
  const texts: string[] = []
  let listing: string | undefined
  const ask = async (name: string, args: Readonly<Record<string, unknown>>) => {
    const text = (await compared.ask(view, name, args)) ?? ''
    requests.push(JSON.stringify({ method: 'tools/call', params: { name, arguments: args } }))
    texts.push(text)
    return text
  }
  const client: TaskClient<string> = {
    async list() {
      const listed = await compared.list(view)
      listing = JSON.stringify({ tools: listed })
      return listed
    },
    call: ask,
    ask,
  }
  const best = hits[0] === undefined ? undefined : view.visible.get(hits[0].id)
  // A script fails if the answers do not contain the tool, for example without a hit. The answers are still shown.
  await compared.strategy.task?.find(client, taskToolOf(best, query)).catch(() => {})
  if (texts.length === 0) {
    if (listing === undefined) await client.list()
    requests.push(JSON.stringify({ method: 'tools/list' }))
    texts.push(listing ?? '')
  }
  const text = texts.join('\n')
  const isCut = text.length > MAX_TEXT_CHARS
  return {
    strategy: compared.name,
    request: requests.join('\n'),
    text: isCut ? `${text.slice(0, MAX_TEXT_CHARS)}…` : text,
    tokens: await tokens.countText(text),
    ...(isCut ? { isCut } : {}),
  }
}

function round(share: number): number {
  return Math.round(share * 1_000) / 1_000
}
