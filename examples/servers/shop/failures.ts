// The failures that commands of the shop share, each with the call to make next.

import { type FailureResult, failure } from 'toolcrib'
import { notFoundFor } from '../../shared/not-found.ts'
import type { Product, Shop, ShopOrder, StockLevel } from './model.ts'

const notFound = notFoundFor({
  product: 'Call product-list with a part of the name to find the id.',
  sku: 'Call product-list to see the products and their variants.',
  customer: 'Call customer-list with a part of the name or email to find the id.',
  order: 'Call order-list, with a status or customerId to narrow it, to find the id.',
  shipment: 'Call order-get with the orderId to find the tracking code.',
  discount: 'Call discount-list to see the codes.',
})

export const noProduct = ({ products }: Shop, id: string) => notFound('product', id, products.keys())
export const noSku = ({ stock }: Shop, sku: string, known = [...stock.keys()]) => notFound('sku', sku, known)
export const noOrder = ({ orders }: Shop, id: string) => notFound('order', id, orders.keys())
export const noShipment = ({ shipments }: Shop, code: string) => notFound('shipment', code, shipments.keys())
export const noDiscount = ({ discounts }: Shop, code: string) => notFound('discount', code, discounts.keys())

export function noCustomer({ customers }: Shop, id: string): FailureResult {
  // An erased customer must not be suggested.
  const known = [...customers.values()].filter(({ isErased }) => !isErased)
  const ids = known.map((customer) => customer.id)
  return notFound('customer', id, ids)
}

export function discontinued({ id, name }: Product): FailureResult {
  return failure({
    code: 'PRODUCT_DISCONTINUED',
    message: `${name} (${id}) is no longer sold`,
    suggestion: 'Call product-list to see what is.',
  })
}

export function outOfStock({ sku, onHand }: StockLevel, wanted: number): FailureResult {
  return failure({
    code: 'OUT_OF_STOCK',
    message: `${sku}: ${wanted} wanted, ${onHand} in stock`,
    suggestion:
      onHand > 0
        ? `Order ${onHand} or fewer, or call stock-adjust when more arrive.`
        : 'Choose another variant: see product-get, or call stock-adjust when more arrive.',
    details: { sku, onHand },
  })
}

export function wrongStatus({ id, status }: ShopOrder, suggestion: string): FailureResult {
  return failure({
    code: 'ORDER_STATUS',
    message: `Order ${id} is ${status}, so this step is not possible`,
    suggestion,
    details: { status },
  })
}
