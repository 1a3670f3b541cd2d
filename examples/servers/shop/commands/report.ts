// The command for the sales report, which is computed day by day.

import { setImmediate } from 'node:timers/promises'
import { type Command, defineCommand, failure, success } from 'toolcrib'
import { z } from 'zod'
import { FIRST_DAY } from '../../../shared/counters.ts'
import { addDays, daysBetween } from '../../../shared/days.ts'
import { reads } from '../../../shared/effects.ts'
import { date } from '../../../shared/fields.ts'
import type { Shop, ShopOrder } from '../model.ts'
import { findVariant } from '../warehouse.ts'

const MAX_DAYS = 366
const groupings = ['day', 'product', 'country'] as const

export function reportCommands(shop: Shop): Command[] {
  const keysOf = (order: ShopOrder, grouping: (typeof groupings)[number]): readonly (readonly [string, number])[] => {
    if (grouping === 'day') return [[order.placedOn, order.totalCents]]
    if (grouping === 'country') return [[order.shipTo.country, order.totalCents]]
    return order.lines.map(({ sku, quantity, unitCents }) => [
      findVariant(shop, sku)?.product.name ?? sku,
      quantity * unitCents,
    ])
  }
  return [
    defineCommand({
      name: 'sales-report',
      description: 'Report sales over a period by day, product or country. Reports progress and can be cancelled.',
      category: 'report',
      tags: ['read', 'billing'],
      ...reads,
      executionTime: 'slow',
      errors: ['EMPTY_PERIOD', 'PERIOD_TOO_LONG'],
      examples: [{ input: { from: '2026-02-01', to: '2026-02-28', by: 'product' } }],
      input: z.object({
        from: date.describe('First day, YYYY-MM-DD'),
        to: date.default(FIRST_DAY).describe('Last day, YYYY-MM-DD'),
        by: z.enum(groupings).default('day').describe('One row for each'),
      }),
      async handler({ from, to, by }, { signal, progress }) {
        const days = daysBetween(from, to) + 1
        if (days < 1) return emptyPeriod(from, to)
        if (days > MAX_DAYS) return tooLong(days, to)
        const rows = new Map<string, number>()
        for (let day = 0; day < days; day++) {
          const date = addDays(from, day)
          const sold = [...shop.orders.values()].filter((one) => one.placedOn === date && one.status !== 'cancelled')
          for (const [key, sumCents] of sold.flatMap((order) => keysOf(order, by))) {
            rows.set(key, (rows.get(key) ?? 0) + sumCents)
          }
          progress(day + 1, days, date)
          // A cancellation can arrive between two days. It ends the report here.
          await setImmediate(undefined, { signal })
        }
        const items = [...rows].map(([key, sumCents]) => ({ key, sumCents }))
        return success({ from, to, by, items, totalCents: items.reduce((sum, { sumCents }) => sum + sumCents, 0) })
      },
    }),
  ]
}

function emptyPeriod(from: string, to: string) {
  return failure({
    code: 'EMPTY_PERIOD',
    message: `${from} is after ${to}`,
    suggestion: `Swap them: from '${to}', to '${from}'.`,
  })
}

function tooLong(days: number, to: string) {
  return failure({
    code: 'PERIOD_TOO_LONG',
    message: `The period has ${days} days, more than ${MAX_DAYS}`,
    suggestion: `Start at ${addDays(to, 1 - MAX_DAYS)} or later, or call sales-report year by year.`,
  })
}
