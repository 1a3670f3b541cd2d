// A group of rows that are measured together: one function runs a round, and each row names the figures it compares.

/** The figures of one round by name, such as `toolcrib.1.p50`. */
export type Figures = Record<string, number>

export interface RowPlan {
  /** The name of the row. A budget for the row has the same name in bench/budgets.json. */
  readonly id: string
  readonly what: string
  readonly unit: string
  /** The name of our figure; `base` is the name of the figure that it is compared with. */
  readonly ours: string
  readonly base?: string
  /** `value` is our figure alone. */
  readonly as: 'ratio' | 'difference' | 'value'
}

export interface BenchGroup {
  readonly name: string
  /** The default is 5, or 3 in the short form. */
  readonly rounds?: { readonly short: number; readonly full: number }
  readonly rows: readonly RowPlan[]
  /** Runs in a fresh process. */
  round(isShort: boolean): Promise<Figures>
}

export function figureOf(row: RowPlan, figures: Figures): number {
  const ours = figures[row.ours] ?? Number.NaN
  if (row.base === undefined) return ours
  const base = figures[row.base] ?? Number.NaN
  return row.as === 'difference' ? ours - base : ours / base
}
