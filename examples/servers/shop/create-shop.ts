// Creates a shop that has the same goods, customers and orders every time.

import { byKey } from '../../shared/fields.ts'
import type { Shop } from './model.ts'
import * as seed from './seed.ts'

export function createShop(): Shop {
  return {
    products: byKey(seed.products, ({ id }) => id),
    stock: byKey(seed.stock, ({ sku }) => sku),
    customers: byKey(seed.customers, ({ id }) => id),
    orders: byKey(seed.orders, ({ id }) => id),
    shipments: byKey(seed.shipments, ({ trackingCode }) => trackingCode),
    refunds: byKey(seed.refunds, ({ id }) => id),
    discounts: byKey(seed.discounts, ({ code }) => code),
    counters: new Map([
      ['prd', seed.products.length],
      ['cus', seed.customers.length],
      ['ord', seed.orders.length],
      ['ref', seed.refunds.length],
      ['trk', seed.shipments.length],
    ]),
  }
}
