// What a group of rows is: how one round of it is measured, and which figures of a round make which row.

/** What one round measured, by name: `toolcrib.1.p50`. */
export type Figures = Record<string, number>

export interface RowPlan {
  /** Its name in bench/budgets.json. */
  readonly id: string
  readonly what: string
  readonly unit: string
  /** Names of figures. */
  readonly ours: string
  readonly base?: string
  /** How the two make the figure that is judged; without a base it is ours alone. */
  readonly as: 'ratio' | 'difference' | 'value'
}

export interface Group {
  readonly name: string
  /** Where five (in the short form three) are not needed or would take too long. */
  readonly rounds?: { readonly short: number; readonly full: number }
  readonly rows: readonly RowPlan[]
  /** Runs in a process of its own. Undefined, and said plainly, where something is missing that it needs. */
  round(isShort: boolean): Promise<Figures | undefined>
}

export function figureOf(row: RowPlan, figures: Figures): number {
  const ours = figures[row.ours] ?? Number.NaN
  if (row.base === undefined) return ours
  const base = figures[row.base] ?? Number.NaN
  return row.as === 'difference' ? ours - base : ours / base
}
