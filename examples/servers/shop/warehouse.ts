// Finds variants by their SKU, and changes the stock when goods are ordered or returned.

import type { Product, ProductVariant, Shop } from './model.ts'

export interface StockLine {
  readonly sku: string
  readonly quantity: number
}

export function findVariant(
  { products }: Shop,
  sku: string,
): { product: Product; variant: ProductVariant } | undefined {
  for (const product of products.values()) {
    const variant = product.variants.find((one) => one.sku === sku)
    if (variant !== undefined) return { product, variant }
  }
  return undefined
}

/** Merges the lines of each SKU, so that two lines cannot both get the last piece. */
export function mergeLines(lines: readonly StockLine[]): StockLine[] {
  const quantities = new Map<string, number>()
  for (const { sku, quantity } of lines) quantities.set(sku, (quantities.get(sku) ?? 0) + quantity)
  return [...quantities].map(([sku, quantity]) => ({ sku, quantity }))
}

/** Adds to the stock. A negative quantity reduces it. */
export function moveStock({ stock }: Shop, sku: string, quantity: number): void {
  const level = stock.get(sku) ?? { sku, onHand: 0, reorderAt: 0 }
  stock.set(sku, { ...level, onHand: level.onHand + quantity })
}

export function weightOf(shop: Shop, lines: readonly StockLine[]): number {
  return lines.reduce(
    (sum, { sku, quantity }) => sum + quantity * (findVariant(shop, sku)?.variant.weightGrams ?? 0),
    0,
  )
}
