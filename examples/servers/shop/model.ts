// The records of a small online shop: products, stock, customers, orders and parcels. Money is in euro cents.

import type { Counters } from '../../shared/counters.ts'

export const productGroups = ['coffee', 'tea', 'equipment', 'gifts'] as const
export const stockReasons = ['delivery', 'return', 'damage', 'theft', 'sample', 'correction'] as const
export const orderStatuses = ['placed', 'shipped', 'cancelled', 'refunded'] as const
export const carriers = ['post', 'courier', 'bike'] as const
export const refundReasons = ['damaged', 'wrong-item', 'late', 'changed-mind'] as const

export interface ProductVariant {
  /** The unique id of a variant, which is the unit of stock and sale. */
  readonly sku: string
  readonly name: string
  readonly priceCents: number
  readonly weightGrams: number
}

export interface Product {
  readonly id: string
  readonly name: string
  readonly group: (typeof productGroups)[number]
  readonly description: string
  readonly variants: readonly ProductVariant[]
  readonly isDiscontinued: boolean
}

export interface StockLevel {
  readonly sku: string
  readonly onHand: number
  readonly reorderAt: number
}

export interface Address {
  readonly name: string
  readonly street: string
  readonly postcode: string
  readonly city: string
  /** ISO 3166, two letters. */
  readonly country: string
}

export interface ShopCustomer {
  readonly id: string
  readonly email: string
  readonly address: Address
  readonly wantsNews: boolean
  readonly isErased: boolean
}

export interface ShopOrderLine {
  readonly sku: string
  readonly quantity: number
  readonly unitCents: number
}

export interface ShopOrder {
  readonly id: string
  readonly customerId: string
  readonly lines: readonly ShopOrderLine[]
  readonly shipTo: Address
  readonly discountCode: string | null
  readonly discountCents: number
  readonly totalCents: number
  readonly status: (typeof orderStatuses)[number]
  readonly placedOn: string
}

export interface Shipment {
  readonly trackingCode: string
  readonly orderId: string
  readonly carrier: (typeof carriers)[number]
  readonly weightGrams: number
  readonly sentOn: string
}

export interface Refund {
  readonly id: string
  readonly orderId: string
  readonly amountCents: number
  readonly reason: (typeof refundReasons)[number]
  readonly note: string
  readonly refundedOn: string
}

export interface Discount {
  readonly code: string
  readonly percent: number
  readonly minOrderCents: number
  readonly validUntil: string
}

/** Records are replaced, never edited, so a result that was already returned does not change. */
export interface Shop {
  readonly products: Map<string, Product>
  readonly stock: Map<string, StockLevel>
  readonly customers: Map<string, ShopCustomer>
  readonly orders: Map<string, ShopOrder>
  readonly shipments: Map<string, Shipment>
  readonly refunds: Map<string, Refund>
  readonly discounts: Map<string, Discount>
  readonly counters: Counters
}
