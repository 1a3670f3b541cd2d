// Computes the price of an order with current prices, and a discount if its code is valid.

import { type FailureResult, failure } from 'toolcrib'
import { FIRST_DAY } from '../../shared/counters.ts'
import { discontinued, noDiscount, noSku, outOfStock } from './failures.ts'
import type { Shop, ShopOrderLine } from './model.ts'
import { findVariant, mergeLines, type StockLine } from './warehouse.ts'

export type Priced =
  | {
      readonly ok: true
      readonly lines: readonly ShopOrderLine[]
      readonly discountCents: number
      readonly totalCents: number
    }
  | { readonly ok: false; readonly failure: FailureResult }

export function priceOrder(shop: Shop, wanted: readonly StockLine[], discountCode: string | null): Priced {
  const lines: ShopOrderLine[] = []
  for (const { sku, quantity } of mergeLines(wanted)) {
    const found = findVariant(shop, sku)
    const level = shop.stock.get(sku)
    if (found === undefined || level === undefined) return refused(noSku(shop, sku))
    if (found.product.isDiscontinued) return refused(discontinued(found.product))
    if (level.onHand < quantity) return refused(outOfStock(level, quantity))
    lines.push({ sku, quantity, unitCents: found.variant.priceCents })
  }
  const goodsCents = lines.reduce((sum, { quantity, unitCents }) => sum + quantity * unitCents, 0)
  if (discountCode === null) return { ok: true, lines, discountCents: 0, totalCents: goodsCents }
  const discount = shop.discounts.get(discountCode)
  if (discount === undefined) return refused(noDiscount(shop, discountCode))
  const { percent, minOrderCents, validUntil } = discount
  if (validUntil < FIRST_DAY) return refused(notValid(discountCode, `it ended on ${validUntil}`))
  if (goodsCents < minOrderCents) {
    return refused(notValid(discountCode, `it needs an order of ${minOrderCents} cents, this one is ${goodsCents}`))
  }
  const discountCents = Math.round((goodsCents * percent) / 100)
  return { ok: true, lines, discountCents, totalCents: goodsCents - discountCents }
}

function refused(failure: FailureResult): Priced {
  return { ok: false, failure }
}

function notValid(code: string, reason: string): FailureResult {
  return failure({
    code: 'DISCOUNT_NOT_VALID',
    message: `The discount ${code} does not apply: ${reason}`,
    suggestion: 'Leave discountCode out, or call discount-list for one that applies.',
  })
}
