// Compares the measured figures with bench/budgets.json.

import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { FigureSpread } from './figures.ts'

const budget = z
  .strictObject({
    /** The upper bound of the figure. */
    max: z.number().optional(),
    /** The lower bound of the figure. */
    min: z.number().optional(),
    /** The figure that we want to reach. The table prints it, but it does not fail the run. */
    aim: z.number().optional(),
    /** If true, a figure beyond the budget also fails a run with `--short`. */
    gate: z.boolean().default(false),
  })
  .refine(({ max, min }) => (max === undefined) !== (min === undefined), 'A budget has either `max` or `min`.')

const file = z.strictObject({ about: z.array(z.string()), rows: z.record(z.string(), budget) })

export type Budget = z.output<typeof budget>
export type Budgets = Readonly<Record<string, Budget>>

export function readBudgets(path: string): Budgets {
  return file.parse(JSON.parse(readFileSync(path, 'utf8'))).rows
}

/** `shown`: the row has no budget. `missed`: the figure is beyond its budget, but a `--short` run does not fail. */
export type Verdict = 'holds' | 'BROKEN' | 'missed' | 'shown'

/** Compares the median of the rounds with the budget. A median that is NaN breaks the budget. */
export function judge({ median }: FigureSpread, budget: Budget | undefined, isShort: boolean): Verdict {
  if (budget === undefined) return 'shown'
  const { max = Number.POSITIVE_INFINITY, min = Number.NEGATIVE_INFINITY, gate } = budget
  if (median <= max && median >= min) return 'holds'
  return isShort && !gate ? 'missed' : 'BROKEN'
}

/** Finds budgets of rows that do not exist, because a typing error would switch a check off. */
export function unknownRows(budgets: Budgets, ids: readonly string[]): readonly string[] {
  return Object.keys(budgets).filter((id) => !ids.includes(id))
}
