// Commands that place, show, list and cancel orders.

import { type Command, defineCommand, success } from 'toolcrib'
import { z } from 'zod'
import { FIRST_DAY, nextNumber } from '../../../shared/counters.ts'
import { changes, destroys, reads } from '../../../shared/effects.ts'
import { date, pageOf, paging } from '../../../shared/fields.ts'
import { noCustomer, noOrder, wrongStatus } from '../failures.ts'
import { address, customerId, lines, orderId } from '../fields.ts'
import { orderStatuses, type Shop, type ShopOrder } from '../model.ts'
import { priceOrder } from '../price-order.ts'
import { moveStock } from '../warehouse.ts'

export function orderCommands(shop: Shop): Command[] {
  return [
    defineCommand({
      name: 'order-place',
      description: 'Place an order for a customer: buys the lines at the prices of today and takes them from stock.',
      category: 'order',
      tags: ['write', 'sales'],
      ...changes,
      errors: [
        'CUSTOMER_NOT_FOUND',
        'SKU_NOT_FOUND',
        'PRODUCT_DISCONTINUED',
        'OUT_OF_STOCK',
        'DISCOUNT_NOT_FOUND',
        'DISCOUNT_NOT_VALID',
      ],
      examples: [
        {
          title: 'With a discount',
          input: { customerId: 'cus-2', lines: [{ sku: 'COF-HARB-250', quantity: 4 }], discountCode: 'SPRING10' },
        },
      ],
      input: z.object({
        customerId,
        lines: lines.describe('What and how many'),
        shipTo: address.optional().describe("Leave out for the customer's own address"),
        discountCode: z.string().nullable().default(null).describe('Code of a discount, such as SPRING10'),
        dryRun: z.boolean().default(false).describe('Only work out the price'),
      }),
      handler({ customerId, lines, shipTo, discountCode, dryRun }) {
        const customer = shop.customers.get(customerId)
        if (customer === undefined || customer.isErased) return noCustomer(shop, customerId)
        const priced = priceOrder(shop, lines, discountCode)
        if (!priced.ok) return priced.failure
        const { ok: _, ...costs } = priced
        if (dryRun) return success({ dryRun, ...costs })
        const order: ShopOrder = {
          id: `ord-${nextNumber(shop.counters, 'ord')}`,
          customerId,
          ...costs,
          shipTo: shipTo ?? customer.address,
          discountCode,
          status: 'placed',
          placedOn: FIRST_DAY,
        }
        shop.orders.set(order.id, order)
        for (const { sku, quantity } of order.lines) moveStock(shop, sku, -quantity)
        return success(order)
      },
    }),
    defineCommand({
      name: 'order-get',
      description: 'Show one order with its lines, total, delivery address, shipments and refunds.',
      category: 'order',
      tags: ['read', 'sales'],
      ...reads,
      errors: ['ORDER_NOT_FOUND'],
      examples: [{ input: { orderId: 'ord-1' } }],
      input: z.object({ orderId }),
      handler({ orderId }) {
        const order = shop.orders.get(orderId)
        if (order === undefined) return noOrder(shop, orderId)
        const own = <T extends { readonly orderId: string }>(records: ReadonlyMap<string, T>) =>
          [...records.values()].filter((record) => record.orderId === orderId)
        return success({ ...order, shipments: own(shop.shipments), refunds: own(shop.refunds) })
      },
    }),
    defineCommand({
      name: 'order-list',
      description: 'List orders, the newest first; filters by customer, status, product and date.',
      category: 'order',
      tags: ['read', 'sales'],
      ...reads,
      examples: [{ title: 'What has to be sent', input: { status: ['placed'] } }],
      input: z.object({
        customerId: customerId.optional(),
        status: z
          .array(z.enum(orderStatuses))
          .min(1)
          .default([...orderStatuses])
          .describe('In any of these states'),
        sku: z.string().optional().describe('With this variant'),
        placedFrom: date.optional().describe('Placed on this day or later, YYYY-MM-DD'),
        ...paging,
      }),
      handler({ customerId, status, sku, placedFrom = '', ...page }) {
        const wanted = [...shop.orders.values()].filter(
          (order) =>
            (customerId ?? order.customerId) === order.customerId &&
            status.includes(order.status) &&
            (sku === undefined || order.lines.some((line) => line.sku === sku)) &&
            order.placedOn >= placedFrom,
        )
        return success(pageOf(wanted.reverse().map(summaryOf), page))
      },
    }),
    defineCommand({
      name: 'order-cancel',
      description: 'Cancel an order that has not been sent yet. Its goods go back into stock.',
      category: 'order',
      tags: ['write', 'sales'],
      ...destroys('Cancel {orderId}?'),
      errors: ['ORDER_NOT_FOUND', 'ORDER_STATUS'],
      examples: [{ input: { orderId: 'ord-4', reason: 'Ordered twice' } }],
      input: z.object({ orderId, reason: z.string().min(1).max(200).describe('For the customer to read') }),
      handler({ orderId, reason }) {
        const order = shop.orders.get(orderId)
        if (order === undefined) return noOrder(shop, orderId)
        if (order.status !== 'placed') {
          return wrongStatus(
            order,
            `Only placed orders can be cancelled; call refund-create with orderId '${orderId}'.`,
          )
        }
        shop.orders.set(orderId, { ...order, status: 'cancelled' })
        const restocked = order.lines.map(({ sku, quantity }) => ({ sku, quantity }))
        for (const { sku, quantity } of restocked) moveStock(shop, sku, quantity)
        return success({ cancelled: orderId, reason, restocked })
      },
    }),
  ]
}

function summaryOf({ id, customerId, status, totalCents, placedOn, lines }: ShopOrder) {
  const pieces = lines.reduce((sum, { quantity }) => sum + quantity, 0)
  return { id, customerId, status, totalCents, placedOn, pieces }
}
