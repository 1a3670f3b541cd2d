// Commands for refunds and discounts.

import { type Command, defineCommand, failure, success } from 'toolcrib'
import { z } from 'zod'
import { FIRST_DAY, nextNumber } from '../../../shared/counters.ts'
import { changes, destroys, reads } from '../../../shared/effects.ts'
import { date, pageOf, paging } from '../../../shared/fields.ts'
import { noOrder, wrongStatus } from '../failures.ts'
import { cents, orderId } from '../fields.ts'
import { type Discount, type Refund, refundReasons, type Shop } from '../model.ts'

export function refundCommands(shop: Shop): Command[] {
  const refundedCents = (id: string) =>
    [...shop.refunds.values()].reduce((sum, one) => sum + (one.orderId === id ? one.amountCents : 0), 0)
  return [
    defineCommand({
      name: 'refund-create',
      description:
        'Give a customer money back for an order that was sent, all of it or a part. Use stock-adjust for goods that come back.',
      category: 'refund',
      tags: ['write', 'billing'],
      ...destroys('Pay money back for {orderId}?'),
      errors: ['ORDER_NOT_FOUND', 'ORDER_STATUS', 'REFUND_TOO_HIGH'],
      requires: ['order-get'],
      examples: [{ input: { orderId: 'ord-1', amountCents: 2_990, reason: 'damaged', note: 'One bag was open.' } }],
      input: z.object({
        orderId,
        amountCents: cents.min(1).optional().describe('Leave out for all that is left'),
        reason: z.enum(refundReasons).describe('Why'),
        note: z.string().max(500).default('').describe('For the books'),
      }),
      handler({ orderId, amountCents, reason, note }) {
        const order = shop.orders.get(orderId)
        if (order === undefined) return noOrder(shop, orderId)
        if (order.status !== 'shipped') {
          return wrongStatus(order, `Call order-cancel for placed orders, or order-get with orderId '${orderId}'.`)
        }
        const leftCents = order.totalCents - refundedCents(orderId)
        const amount = amountCents ?? leftCents
        if (amount > leftCents) return tooHigh(orderId, amount, leftCents)
        const id = `ref-${nextNumber(shop.counters, 'ref')}`
        const refund: Refund = { id, orderId, amountCents: amount, reason, note, refundedOn: FIRST_DAY }
        shop.refunds.set(id, refund)
        if (amount === leftCents) shop.orders.set(orderId, { ...order, status: 'refunded' })
        return success({ ...refund, leftCents: leftCents - amount })
      },
    }),
    defineCommand({
      name: 'refund-list',
      description: 'List refunds, by order or by reason, with the sum of money that went back.',
      category: 'refund',
      tags: ['read', 'billing'],
      ...reads,
      examples: [{ input: { reason: 'damaged' } }],
      input: z.object({
        orderId: orderId.optional(),
        reason: z.enum(refundReasons).optional().describe('Only for this reason'),
        ...paging,
      }),
      handler({ orderId, reason, ...page }) {
        const wanted = [...shop.refunds.values()].filter(
          (one) => (orderId ?? one.orderId) === one.orderId && (reason ?? one.reason) === one.reason,
        )
        return success({ ...pageOf(wanted, page), sumCents: wanted.reduce((sum, one) => sum + one.amountCents, 0) })
      },
    }),
    defineCommand({
      name: 'discount-create',
      description: 'Make a discount code that customers can use when they order.',
      category: 'discount',
      tags: ['write', 'marketing'],
      ...changes,
      errors: ['DISCOUNT_EXISTS'],
      examples: [{ input: { code: 'THANKS5', percent: 5, validUntil: '2026-12-31' } }],
      input: z.object({
        code: z
          .string()
          .regex(/^[A-Z0-9]{3,20}$/, 'not a code like SPRING10')
          .describe('Capitals and digits'),
        percent: z.number().int().min(1).max(80).describe('Percent off the price of the goods'),
        minOrderCents: cents.default(0).describe('Smallest order that the code applies to'),
        validUntil: date.describe('Last day, YYYY-MM-DD'),
      }),
      handler(discount: Discount) {
        if (shop.discounts.has(discount.code)) {
          return failure({
            code: 'DISCOUNT_EXISTS',
            message: `There is already a discount ${discount.code}`,
            suggestion: 'Choose another code; discount-list shows those in use.',
          })
        }
        shop.discounts.set(discount.code, discount)
        return success(discount)
      },
    }),
    defineCommand({
      name: 'discount-list',
      description: 'List discount codes with what they take off, from what amount, and until when.',
      category: 'discount',
      tags: ['read', 'marketing'],
      ...reads,
      examples: [{ input: {} }],
      input: z.object({ withEnded: z.boolean().default(false).describe('Also those that have ended') }),
      handler: ({ withEnded }) =>
        success({ items: [...shop.discounts.values()].filter((one) => withEnded || one.validUntil >= FIRST_DAY) }),
    }),
  ]
}

function tooHigh(orderId: string, wanted: number, left: number) {
  return failure({
    code: 'REFUND_TOO_HIGH',
    message: `${orderId} has ${left} cents left to refund, which is less than ${wanted}`,
    suggestion: `Give an amountCents of ${left} or less; refund-list with orderId '${orderId}' shows what went back.`,
  })
}
