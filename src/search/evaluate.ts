// Measures the quality of a ranking with labelled queries: recall, nDCG, and 1 / rank of the first relevant tool (mrr).

export interface ToolName {
  readonly server: string
  readonly name: string
}

/** A tool that answers a query. Each of its `alts` is equally good. */
interface RelevantTool extends ToolName {
  readonly alts?: readonly ToolName[]
}

export interface LabelledQuery {
  readonly id: string | number
  readonly query: string
  readonly relevant: readonly RelevantTool[]
}

/** All measures are from 0 to 1. */
export interface Quality {
  readonly recall1: number
  readonly recall5: number
  readonly recall10: number
  readonly ndcg10: number
  readonly mrr: number
}

/** How many results of a ranking are examined. */
export const EVALUATION_DEPTH = 100

export function judgeRanking(ranked: readonly ToolName[], relevant: readonly RelevantTool[]): Quality {
  const wanted = relevant.map((item) => new Set([item, ...(item.alts ?? [])].map(keyOf)))
  const foundAt = wanted.map(() => Number.POSITIVE_INFINITY)
  let gain = 0
  ranked.slice(0, EVALUATION_DEPTH).forEach((tool, position) => {
    const key = keyOf(tool)
    // If two relevant tools have the same name, the second result with that name counts for the second tool.
    const item = wanted.findIndex((keys, index) => foundAt[index] === Number.POSITIVE_INFINITY && keys.has(key))
    if (item < 0) return
    foundAt[item] = position
    if (position < 10) gain += discount(position)
  })
  const ideal = wanted.slice(0, 10).reduce((sum, _, position) => sum + discount(position), 0)
  const recall = (depth: number) => foundAt.filter((position) => position < depth).length / Math.max(wanted.length, 1)
  return {
    recall1: recall(1),
    recall5: recall(5),
    recall10: recall(10),
    ndcg10: ideal === 0 ? 0 : gain / ideal,
    mrr: 1 / (Math.min(...foundAt) + 1),
  }
}

/** The mean of each measure. All are 0 without queries. */
export function averageQuality(all: readonly Quality[]): Quality {
  const mean = (measure: keyof Quality) =>
    all.reduce((sum, quality) => sum + quality[measure], 0) / Math.max(all.length, 1)
  return {
    recall1: mean('recall1'),
    recall5: mean('recall5'),
    recall10: mean('recall10'),
    ndcg10: mean('ndcg10'),
    mrr: mean('mrr'),
  }
}

/**
 * The smallest value that is at least as high as this share of the values: 0.5 is the lower median, 1 the maximum. 0
 * without values.
 */
export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * share) - 1)] ?? 0
}

function discount(position: number): number {
  return 1 / Math.log2(position + 2)
}

function keyOf({ server, name }: ToolName): string {
  return `${server}\u0000${name}`
}
