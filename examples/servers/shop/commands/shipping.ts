// Commands for shipping: prices, sending and tracking of parcels.

import { type Command, defineCommand, failure, success } from 'toolcrib'
import { z } from 'zod'
import { FIRST_DAY, nextNumber } from '../../../shared/counters.ts'
import { changes, reads } from '../../../shared/effects.ts'
import { canCarry, eventsOf, priceCents, tariffs } from '../carriers.ts'
import { noOrder, noShipment, noSku, wrongStatus } from '../failures.ts'
import { country, lines, orderId } from '../fields.ts'
import { carriers, type Shipment, type Shop } from '../model.ts'
import { weightOf } from '../warehouse.ts'

export function shippingCommands(shop: Shop): Command[] {
  return [
    defineCommand({
      name: 'shipping-quote',
      description: 'Compare what carriers charge to send goods to a country, and how many days they take.',
      category: 'shipping',
      tags: ['read', 'sales'],
      ...reads,
      errors: ['SKU_NOT_FOUND'],
      examples: [{ input: { country: 'AT', lines: [{ sku: 'EQU-GRIN-BLK', quantity: 1 }] } }],
      input: z.object({
        country,
        lines: lines.describe('What to send'),
      }),
      handler({ country, lines }) {
        const unknown = lines.find(({ sku }) => !shop.stock.has(sku))
        if (unknown !== undefined) return noSku(shop, unknown.sku)
        const weightGrams = weightOf(shop, lines)
        const quotes = carriers
          .filter((carrier) => canCarry(carrier, country, weightGrams))
          .map((carrier) => ({ carrier, priceCents: priceCents(carrier, weightGrams), days: tariffs[carrier].days }))
        return success({ weightGrams, quotes: quotes.sort((a, b) => a.priceCents - b.priceCents) })
      },
    }),
    defineCommand({
      name: 'shipment-create',
      description: 'Send an order: hands it to a carrier and gives its tracking code.',
      category: 'shipping',
      tags: ['write', 'warehouse'],
      ...changes,
      errors: ['ORDER_NOT_FOUND', 'ORDER_STATUS', 'CARRIER_NOT_POSSIBLE'],
      requires: ['shipping-quote'],
      examples: [{ input: { orderId: 'ord-2', carrier: 'bike' } }],
      input: z.object({ orderId, carrier: z.enum(carriers).default('post').describe('Who carries it') }),
      handler({ orderId, carrier }) {
        const order = shop.orders.get(orderId)
        if (order === undefined) return noOrder(shop, orderId)
        if (order.status !== 'placed')
          return wrongStatus(order, "Call order-list with status ['placed'] for what to send.")
        const weightGrams = weightOf(shop, order.lines)
        const { country } = order.shipTo
        if (!canCarry(carrier, country, weightGrams)) return notPossible(carrier, country, weightGrams)
        const number = nextNumber(shop.counters, 'trk')
        const trackingCode = `TRK-${String(number).padStart(6, '0')}`
        const shipment: Shipment = { trackingCode, orderId, carrier, weightGrams, sentOn: FIRST_DAY }
        shop.shipments.set(trackingCode, shipment)
        shop.orders.set(orderId, { ...order, status: 'shipped' })
        return success(shipment)
      },
    }),
    defineCommand({
      name: 'shipment-track',
      description: "Follow a parcel by its tracking code: where it has been, and a link to the carrier's own page.",
      category: 'shipping',
      tags: ['read', 'warehouse'],
      ...reads,
      errors: ['SHIPMENT_NOT_FOUND'],
      examples: [{ input: { trackingCode: 'TRK-000001' } }],
      input: z.object({ trackingCode: z.string().describe('Tracking code, such as TRK-000001') }),
      handler({ trackingCode }) {
        const shipment = shop.shipments.get(trackingCode)
        if (shipment === undefined) return noShipment(shop, trackingCode)
        const events = eventsOf(shipment, FIRST_DAY)
        const link = {
          type: 'resource_link' as const,
          uri: `https://${shipment.carrier}.example/track/${trackingCode}`,
          name: `Parcel ${trackingCode}`,
          mimeType: 'text/html',
        }
        return success({ ...shipment, status: events.at(-1)?.event ?? 'announced', events }, { content: [link] })
      },
    }),
  ]
}

function notPossible(carrier: Shipment['carrier'], country: string, grams: number) {
  const others = carriers.filter((one) => canCarry(one, country, grams))
  return failure({
    code: 'CARRIER_NOT_POSSIBLE',
    message: `${carrier} does not carry ${grams} g to ${country}`,
    suggestion:
      others.length === 0
        ? 'No carrier does; call order-cancel.'
        : `Use ${others.join(' or ')}; shipping-quote shows what they charge.`,
  })
}
