// Compares what was measured with bench/budgets.json.

import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { Spread } from './figures.ts'

const budget = z
  .strictObject({
    /** The figure may not be above it. */
    max: z.number().optional(),
    /** The figure may not be below it. */
    min: z.number().optional(),
    /** Printed, decides nothing. */
    aim: z.number().optional(),
    /** Whether it decides in the short form too. */
    gate: z.boolean().default(false),
  })
  .refine(({ max, min }) => (max === undefined) !== (min === undefined), 'A budget has either `max` or `min`.')

const file = z.strictObject({ about: z.array(z.string()), rows: z.record(z.string(), budget) })

export type Budget = z.output<typeof budget>
export type Budgets = Readonly<Record<string, Budget>>

export function readBudgets(path: string): Budgets {
  return file.parse(JSON.parse(readFileSync(path, 'utf8'))).rows
}

/** `shown`: the row has no budget, or does not decide in this form. */
export type Verdict = 'holds' | 'BROKEN' | 'short of it' | 'shown'

/** The median decides; a figure that could not be measured holds nothing. */
export function judge({ median }: Spread, budget: Budget | undefined, isShort: boolean): Verdict {
  if (budget === undefined) return 'shown'
  const { max = Number.POSITIVE_INFINITY, min = Number.NEGATIVE_INFINITY, gate } = budget
  if (median <= max && median >= min) return 'holds'
  return isShort && !gate ? 'short of it' : 'BROKEN'
}

/** Budgets of rows that do not exist: a typing error in the file would switch a check off. */
export function unknownRows(budgets: Budgets, ids: readonly string[]): readonly string[] {
  return Object.keys(budgets).filter((id) => !ids.includes(id))
}
