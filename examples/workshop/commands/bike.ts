// Commands for bikes: their owners, their location and their repairs.

import { type Command, defineCommand, failure, success } from 'toolcrib'
import { z } from 'zod'
import { destroys } from '../../shared/effects.ts'
import { bikeLabel } from '../bike-label.ts'
import { notFound, wrongStatus } from '../failures.ts'
import { bikeId, customerId, given, pageOf, paging } from '../fields.ts'
import { type Bike, bikeKinds, bikePlaces, type Order, type WorkshopState } from '../model.ts'
import { callsToComplete, openOrders } from '../open-orders.ts'
import { totalOf } from '../order-lines.ts'
import { nextId } from '../state.ts'

const details = {
  make: z.string().min(1).describe('Manufacturer'),
  model: z.string().min(1).describe('Model name'),
  kind: z.enum(bikeKinds).describe('Kind of bike'),
  frameNumber: z.string().min(4).describe('Stamped on the frame; unique'),
  color: z.string().min(1).describe('Main colour'),
}

export function bikeCommands(state: WorkshopState): Command[] {
  return [
    defineCommand({
      name: 'bike-register',
      description: 'Register a bike to a customer. The frame number must be new.',
      tags: ['crud', 'write', 'front-desk'],
      mutation: true,
      executionTime: 'instant',
      errors: ['CUSTOMER_NOT_FOUND', 'FRAME_NUMBER_TAKEN'],
      requires: ['customer-get'],
      examples: [
        {
          input: {
            customerId: 'cus-2',
            make: 'Tern',
            model: 'GSD',
            kind: 'cargo',
            frameNumber: 'TE-3301-64',
            color: 'blue',
          },
        },
      ],
      input: z.object({ customerId, ...details, color: details.color.default('unknown') }),
      handler(input) {
        if (!state.customers.has(input.customerId)) return notFound('customer', input.customerId)
        const taken = frameOwner(state, input.frameNumber)
        if (taken !== undefined) return frameTaken(taken)
        const bike: Bike = { id: nextId(state, 'bik'), ...input, place: 'with-customer' }
        state.bikes.set(bike.id, bike)
        return success(bike)
      },
    }),
    defineCommand({
      name: 'bike-get',
      description: 'Show one bike with its owner and its open order.',
      tags: ['crud', 'read'],
      mutation: false,
      executionTime: 'instant',
      errors: ['BIKE_NOT_FOUND'],
      examples: [{ input: { bikeId: 'bik-1' } }],
      input: z.object({ bikeId }),
      handler({ bikeId }) {
        const bike = state.bikes.get(bikeId)
        if (bike === undefined) return notFound('bike', bikeId)
        const owner = state.customers.get(bike.customerId)?.name ?? null
        return success({ ...bike, owner, openOrderId: openOrderOf(state, bikeId)?.id ?? null })
      },
    }),
    defineCommand({
      name: 'bike-list',
      description: 'List bikes, by owner, kind or where they are now.',
      tags: ['crud', 'read'],
      mutation: false,
      executionTime: 'instant',
      examples: [{ title: 'What stands in the workshop', input: { place: 'in-workshop' } }],
      input: z.object({
        customerId: customerId.optional(),
        kind: z.enum(bikeKinds).optional().describe('Only this kind'),
        place: z.enum(bikePlaces).optional().describe('Only bikes that are there'),
        ...paging,
      }),
      handler({ customerId, kind, place, ...page }) {
        const wanted = [...state.bikes.values()].filter(
          (bike) =>
            (customerId ?? bike.customerId) === bike.customerId &&
            (kind ?? bike.kind) === bike.kind &&
            (place ?? bike.place) === bike.place,
        )
        return success(pageOf(wanted, page))
      },
    }),
    defineCommand({
      name: 'bike-update',
      description: "Correct a bike's details or say where it is now. Fields that are left out stay as they are.",
      tags: ['crud', 'write'],
      mutation: true,
      executionTime: 'instant',
      errors: ['BIKE_NOT_FOUND', 'BIKE_STATUS', 'FRAME_NUMBER_TAKEN'],
      examples: [{ title: 'Dropped off at the counter', input: { bikeId: 'bik-5', place: 'in-workshop' } }],
      input: z.object({
        bikeId,
        ...z.object(details).partial().shape,
        place: z.enum(['with-customer', 'in-workshop']).optional().describe('Where the bike is now'),
      }),
      handler({ bikeId, ...changes }) {
        const bike = state.bikes.get(bikeId)
        if (bike === undefined) return notFound('bike', bikeId)
        if (bike.place === 'retired') return retired(bike)
        const owner = changes.frameNumber === undefined ? undefined : frameOwner(state, changes.frameNumber)
        if (owner !== undefined && owner.id !== bikeId) return frameTaken(owner)
        const updated = { ...bike, ...given(changes) }
        state.bikes.set(bikeId, updated)
        return success(updated)
      },
    }),
    defineCommand({
      name: 'bike-transfer',
      description: 'Transfer a bike to a new owner after a sale. Refused while an order on it is open.',
      tags: ['write', 'front-desk'],
      mutation: true,
      executionTime: 'instant',
      errors: ['BIKE_NOT_FOUND', 'CUSTOMER_NOT_FOUND', 'BIKE_HAS_OPEN_ORDER'],
      requires: ['bike-get', 'customer-get'],
      examples: [{ input: { bikeId: 'bik-2', toCustomerId: 'cus-4' } }],
      input: z.object({ bikeId, toCustomerId: customerId.describe('The new owner') }),
      handler({ bikeId, toCustomerId }) {
        const bike = state.bikes.get(bikeId)
        if (bike === undefined) return notFound('bike', bikeId)
        if (!state.customers.has(toCustomerId)) return notFound('customer', toCustomerId)
        const open = openOrderOf(state, bikeId)
        if (open !== undefined) return hasOpenOrder(bike, open)
        const updated = { ...bike, customerId: toCustomerId }
        state.bikes.set(bikeId, updated)
        return success({ bike: updated, previousOwner: bike.customerId })
      },
    }),
    defineCommand({
      name: 'bike-retire',
      description: 'Mark a bike as scrapped or stolen. It stays on record but takes no more orders.',
      tags: ['write', 'admin'],
      ...destroys('Retire this bike? It cannot be brought back into service.'),
      executionTime: 'instant',
      errors: ['BIKE_NOT_FOUND', 'BIKE_STATUS', 'BIKE_HAS_OPEN_ORDER'],
      requires: ['bike-get'],
      examples: [{ input: { bikeId: 'bik-2', reason: 'stolen' } }],
      input: z.object({ bikeId, reason: z.enum(['scrapped', 'stolen', 'sold-on']).describe('Why it is gone') }),
      handler({ bikeId, reason }) {
        const bike = state.bikes.get(bikeId)
        if (bike === undefined) return notFound('bike', bikeId)
        if (bike.place === 'retired') return retired(bike)
        const open = openOrderOf(state, bikeId)
        if (open !== undefined) return hasOpenOrder(bike, open)
        const updated: Bike = { ...bike, place: 'retired' }
        state.bikes.set(bikeId, updated)
        return success({ bike: updated, reason })
      },
    }),
    defineCommand({
      name: 'bike-service-log',
      description: 'Show everything that was ever done to a bike, the newest order first.',
      tags: ['read', 'floor'],
      mutation: false,
      executionTime: 'fast',
      errors: ['BIKE_NOT_FOUND'],
      examples: [{ input: { bikeId: 'bik-4' } }],
      input: z.object({
        bikeId,
        includeCancelled: z.boolean().default(false).describe('Also orders that were called off'),
      }),
      handler({ bikeId, includeCancelled }) {
        if (!state.bikes.has(bikeId)) return notFound('bike', bikeId)
        const orders = [...state.orders.values()]
          .filter((order) => order.bikeId === bikeId && (includeCancelled || order.status !== 'cancelled'))
          .sort((a, b) => b.openedOn.localeCompare(a.openedOn))
        const entries = orders.map(({ id, openedOn, status, problem, lines }) => ({
          orderId: id,
          openedOn,
          status,
          problem,
          work: lines.map(({ description, quantity }) => ({ description, quantity })),
          totalCents: totalOf(lines),
        }))
        return success({ bikeId, entries })
      },
    }),
    defineCommand({
      name: 'bike-label',
      description: 'Make the label that hangs on a bike in the workshop. The label comes as an SVG drawing.',
      tags: ['read', 'floor', 'print'],
      mutation: false,
      executionTime: 'fast',
      errors: ['BIKE_NOT_FOUND'],
      contexts: ['workshop-floor'],
      examples: [{ input: { bikeId: 'bik-1' } }],
      input: z.object({
        bikeId,
        size: z.enum(['small', 'large']).default('small').describe('62 mm or 100 mm wide'),
      }),
      handler({ bikeId, size }) {
        const bike = state.bikes.get(bikeId)
        if (bike === undefined) return notFound('bike', bikeId)
        const owner = state.customers.get(bike.customerId)?.name ?? 'unknown owner'
        const orderId = openOrderOf(state, bikeId)?.id ?? null
        const uri = `workshop://bikes/${bikeId}/label.svg`
        const text = bikeLabel({ bike, owner, orderId, widthMm: size === 'small' ? 62 : 100 })
        return success(
          { bikeId, orderId, size, uri },
          { content: [{ type: 'resource', resource: { uri, mimeType: 'image/svg+xml', text } }] },
        )
      },
    }),
  ]
}

function openOrderOf(state: WorkshopState, bikeId: string): Order | undefined {
  return openOrders(state, (order) => order.bikeId === bikeId)[0]
}

function frameOwner(state: WorkshopState, frameNumber: string): Bike | undefined {
  return [...state.bikes.values()].find((bike) => bike.frameNumber === frameNumber)
}

function frameTaken({ id, customerId, frameNumber }: Bike) {
  return failure({
    code: 'FRAME_NUMBER_TAKEN',
    message: `Frame number ${frameNumber} is on record as ${id} of ${customerId}`,
    suggestion: `Check the number; if the bike was sold, call bike-transfer with bikeId '${id}'.`,
  })
}

function hasOpenOrder(bike: Bike, order: Order) {
  return failure({
    code: 'BIKE_HAS_OPEN_ORDER',
    message: `${bike.make} ${bike.model} (${bike.id}) has ${order.id}, which is ${order.status}`,
    suggestion: `Call ${callsToComplete(order)} for ${order.id} first, or order-cancel.`,
  })
}

function retired(bike: Bike) {
  return wrongStatus('bike', bike.id, 'retired', 'Call bike-register to put another bike on record.')
}
