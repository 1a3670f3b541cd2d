// Formats the report of an evaluation as a table with one row per ranker.

import { table } from '../../output/table.ts'
import { count, number, wrap } from '../../output/text.ts'
import type { EvaluationSet, Percentiles, RankerMeasurement } from './measure-ranker.ts'

export interface RankerReport extends Pick<RankerMeasurement, 'quality' | 'buildMs' | 'latencyMs' | 'answerTokens'> {
  readonly ranker: string
}

const ORIGIN_TEXTS: Readonly<Record<EvaluationSet['origin'], string>> = {
  files: 'from the files given',
  audit: 'from the audit log: what was searched for, and the tool that was called next',
  generated: 'made from the first sentences of descriptions, which are left out of the index',
}

export function reportLines(
  { origin, queries }: EvaluationSet,
  tools: number,
  reports: readonly RankerReport[],
  width: number,
): readonly string[] {
  return [
    ...wrap(
      `Search over ${count(tools, 'tool')}, ${count(queries.length, 'query', 'queries')} ${ORIGIN_TEXTS[origin]}:`,
      width,
    ),
    '',
    ...table(
      ['ranker', 'R@1', 'R@5', 'R@10', 'nDCG@10', 'MRR', 'ms', 'build', 'tokens'],
      reports.map(({ ranker, quality, buildMs, latencyMs, answerTokens }) => [
        ranker,
        ...[quality.recall1, quality.recall5, quality.recall10, quality.ndcg10, quality.mrr].map(percent),
        bothText(latencyMs, (ms) => ms.toFixed(2)),
        number(Math.round(buildMs)),
        bothText(answerTokens, number),
      ]),
      width,
    ),
    '',
    ...wrap('Milliseconds of a search and tokens of its answer: median, 95th percentile. Build: milliseconds.', width),
  ]
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`
}

/** The median and the 95th percentile. */
function bothText({ p50, p95 }: Percentiles, show: (value: number) => string): string {
  return `${show(p50)}, ${show(p95)}`
}
