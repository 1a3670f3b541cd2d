// Commands for stock: levels, changes and the inventory count.

import { setImmediate } from 'node:timers/promises'
import { type Command, defineCommand, failure, success } from 'toolcrib'
import { z } from 'zod'
import { changes, reads } from '../../../shared/effects.ts'
import { noSku } from '../failures.ts'
import { sku } from '../fields.ts'
import { type Shop, type StockLevel, stockReasons } from '../model.ts'
import { moveStock } from '../warehouse.ts'

export function stockCommands(shop: Shop): Command[] {
  return [
    defineCommand({
      name: 'stock-level',
      description: 'Show how many pieces are in stock, for some SKUs, for all, or for those that should be reordered.',
      category: 'stock',
      tags: ['read', 'warehouse'],
      ...reads,
      errors: ['SKU_NOT_FOUND'],
      examples: [{ title: 'What to reorder', input: { onlyLow: true } }],
      input: z.object({
        skus: z.array(sku).max(100).optional().describe('Leave out for all'),
        onlyLow: z.boolean().default(false).describe('Only what is at or below its reorder level'),
      }),
      handler({ skus = [...shop.stock.keys()], onlyLow }) {
        const unknown = skus.find((one) => !shop.stock.has(one))
        if (unknown !== undefined) return noSku(shop, unknown)
        const isLow = ({ onHand, reorderAt }: StockLevel) => onHand <= reorderAt
        const levels = skus.flatMap((one) => shop.stock.get(one) ?? [])
        const items = levels.map((level) => ({ ...level, isLow: isLow(level) }))
        return success({ items: items.filter((level) => !onlyLow || level.isLow) })
      },
    }),
    defineCommand({
      name: 'stock-adjust',
      description: 'Add pieces to the stock of a SKU or take some out, with the reason: a delivery, damage, a sample.',
      category: 'stock',
      tags: ['write', 'warehouse'],
      ...changes,
      errors: ['SKU_NOT_FOUND', 'STOCK_BELOW_ZERO'],
      examples: [{ input: { sku: 'EQU-GRIN-OAK', change: 10, reason: 'delivery' } }],
      input: z.object({
        sku,
        change: z.number().int().min(-10_000).max(10_000).describe('Pieces to add; negative to take some out'),
        reason: z.enum(stockReasons).describe('Why'),
        reorderAt: z.number().int().min(0).optional().describe('New level at which to reorder'),
      }),
      handler({ sku, change, reason, reorderAt }) {
        const level = shop.stock.get(sku)
        if (level === undefined) return noSku(shop, sku)
        if (level.onHand + change < 0) {
          const fewer = level.onHand === 0 ? '' : `Take out ${level.onHand} or fewer, or `
          return failure({
            code: 'STOCK_BELOW_ZERO',
            message: `The stock of ${sku} is ${level.onHand}, so ${-change} cannot be taken out`,
            suggestion: `${fewer || 'If there are more, '}call stock-count with the number on the shelf.`,
          })
        }
        const updated = { ...level, onHand: level.onHand + change, reorderAt: reorderAt ?? level.reorderAt }
        shop.stock.set(sku, updated)
        return success({ ...updated, change, reason })
      },
    }),
    defineCommand({
      name: 'stock-count',
      description:
        'Set the stock to the numbers of an inventory count. Reports progress for each SKU and can be cancelled.',
      category: 'stock',
      tags: ['write', 'warehouse', 'bulk'],
      ...changes,
      executionTime: 'slow',
      errors: ['SKU_NOT_FOUND'],
      examples: [{ input: { counts: [{ sku: 'COF-HARB-250', counted: 82 }] } }],
      input: z.object({
        counts: z
          .array(z.object({ sku, counted: z.number().int().min(0).max(100_000) }))
          .min(1)
          .max(500),
      }),
      async handler({ counts }, { signal, progress }) {
        const unknown = counts.find(({ sku }) => !shop.stock.has(sku))
        if (unknown !== undefined) return noSku(shop, unknown.sku)
        const differences: { sku: string; difference: number }[] = []
        for (const [index, { sku, counted }] of counts.entries()) {
          const difference = counted - (shop.stock.get(sku)?.onHand ?? 0)
          moveStock(shop, sku, difference)
          if (difference !== 0) differences.push({ sku, difference })
          progress(index + 1, counts.length, `${sku}: ${counted}`)
          // A cancellation can arrive between two corrections. It ends the count here.
          await setImmediate(undefined, { signal })
        }
        return success({ counted: counts.length, differences })
      },
    }),
  ]
}
