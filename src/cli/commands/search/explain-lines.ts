// Explains search results: the words that matched, the fields they matched in, and their share of the score.

import { type FoundTool, isPattern, type ToolHit } from '../../../disclosure/strategies/gateway/find-tools.ts'
import type { SearchableCatalog } from '../../../disclosure/view.ts'
import type { Explanation, Reason } from '../../../search/ranker.ts'
import type { Output } from '../../output/output.ts'
import { wrap } from '../../output/text.ts'

interface ExplainedTools {
  /**
   * Adds the explanations to the hits of the same search. A hit by a name pattern, or of a ranker without `explain`,
   * has none.
   */
  document(hits: readonly ToolHit[]): readonly (ToolHit & { readonly explanation?: Explanation })[]
  lines(found: FoundTool, rank: number, output: Pick<Output, 'width' | 'paint'>): readonly string[]
}

/** Words with a smaller share are not shown. */
const MIN_SHARE = 0.02
const MAX_REASONS = 8

export async function explainTools(
  tools: readonly FoundTool[],
  query: string,
  catalog: Pick<SearchableCatalog, 'explain'>,
): Promise<ExplainedTools> {
  const isByName = isPattern(query)
  const found = new Map<FoundTool, Explanation>()
  for (const one of tools) {
    // A search by name pattern does not use the ranker.
    const explanation = isByName ? undefined : await catalog.explain(query, one.tool.id)
    if (explanation !== undefined) found.set(one, explanation)
  }
  const unexplained = isByName ? 'Why: its name matches the pattern' : 'Why: the ranker does not explain its results'
  const explanations = tools.map((one) => found.get(one))
  return {
    document: (hits) =>
      hits.map((hit, at) => {
        const explanation = explanations[at]
        return explanation === undefined ? hit : { ...hit, explanation: roundShares(explanation) }
      }),
    lines(one, rank, { width, paint }) {
      const indent = ' '.repeat(String(rank).length + 2)
      const explanation = found.get(one)
      const reasons = explanation === undefined ? [unexplained] : reasonLines(explanation)
      return reasons.flatMap((line) => wrap(line, width, indent).map((text) => paint.dim(text)))
    },
  }
}

function reasonLines({ named, reasons, calls }: Explanation): readonly string[] {
  const shown = reasons.filter(({ share }) => share >= MIN_SHARE).slice(0, MAX_REASONS)
  return [
    `Why: ${[...(named ? ['the query names it'] : []), ...shown.map(reasonText)].join('; ')}`,
    ...(calls === undefined || calls < 0.1
      ? []
      : [`Called ${timesText(calls)} recently: ranks first among equal results`]),
  ]
}

/** A count gets smaller with time, so it may have a decimal: `1 time`, `2.7 times`. */
function timesText(calls: number): string {
  const text = calls.toFixed(1).replace(/\.0$/, '')
  return `${text} ${text === '1' ? 'time' : 'times'}`
}

/** For example `remove as delete 60% in name 80%, summary 20%`. */
function reasonText({ word, term, how, fields, share }: Reason): string {
  const matched = word === term ? word : `${word} as ${term}${how === 'near' ? ' (same subject)' : ''}`
  const [only, ...others] = fields
  const where = others.length === 0 ? only?.field : fields.map((one) => `${one.field} ${percent(one.share)}`).join(', ')
  return `${matched} ${percent(share)}${where === undefined ? '' : ` in ${where}`}`
}

function percent(share: number): string {
  return `${Math.round(100 * share)}%`
}

/** Rounds the shares to two decimals, like the relevance. */
function roundShares({ reasons, ...rest }: Explanation): Explanation {
  const round = (share: number) => Math.round(share * 100) / 100
  return {
    ...rest,
    reasons: reasons.map((reason) => ({
      ...reason,
      share: round(reason.share),
      fields: reason.fields.map(({ field, share }) => ({ field, share: round(share) })),
    })),
  }
}
