// Commands for orders: the work on one bike, from the reported problem to the finished repair.

import { type Command, defineCommand, failure, success } from 'toolcrib'
import { z } from 'zod'
import { destroys } from '../../shared/effects.ts'
import { euros } from '../billing.ts'
import { addDays } from '../calendar.ts'
import { notFound, wrongStatus } from '../failures.ts'
import { bikeId, customerId, date, orderId, pageOf, paging, staffId } from '../fields.ts'
import { type Order, orderStatuses, type WorkshopState } from '../model.ts'
import { findOpenOrder } from '../open-orders.ts'
import { labourMinutes, lineInput, priceLines, returnStock, takeStock, totalOf } from '../order-lines.ts'
import { nextId } from '../state.ts'

const lines = z.array(lineInput).max(40)

export function orderCommands(state: WorkshopState): Command[] {
  return [
    defineCommand({
      name: 'order-create',
      description: 'Open a repair order for a bike. Parts on its lines are taken from stock at once.',
      tags: ['crud', 'write', 'front-desk'],
      mutation: true,
      executionTime: 'fast',
      errors: ['BIKE_NOT_FOUND', 'BIKE_STATUS', 'CUSTOMER_NOT_FOUND', 'PART_NOT_FOUND', 'OUT_OF_STOCK'],
      requires: ['bike-list', 'order-estimate'],
      examples: [
        {
          title: 'New brake pads',
          input: {
            bikeId: 'bik-5',
            problem: 'Brakes feel soft',
            lines: [
              { kind: 'labour', description: 'Replace brake pads', minutes: 25 },
              { kind: 'part', partId: 'prt-1', quantity: 2 },
            ],
          },
        },
      ],
      input: z.object({
        bikeId,
        problem: z.string().min(3).max(300).describe("In the customer's words"),
        lines: lines.default([]).describe('Planned work and parts; more can be added later'),
        promisedOn: date.optional().describe('Day the bike is promised, YYYY-MM-DD; three days from now if left out'),
      }),
      handler({ bikeId, problem, lines, promisedOn = addDays(state.today, 3) }) {
        const bike = state.bikes.get(bikeId)
        if (bike === undefined) return notFound('bike', bikeId)
        if (bike.place === 'retired') {
          return wrongStatus('bike', bikeId, 'retired', 'Call bike-register to put another bike on record.')
        }
        const customer = state.customers.get(bike.customerId)
        if (customer === undefined) return notFound('customer', bike.customerId)
        const priced = priceLines(state, customer, lines)
        if (!priced.ok) return priced.failure
        const order: Order = {
          id: nextId(state, 'ord'),
          customerId: customer.id,
          bikeId,
          problem,
          status: 'open',
          mechanicId: null,
          lines: priced.lines,
          openedOn: state.today,
          promisedOn,
          closedOn: null,
        }
        takeStock(state, order.lines)
        state.orders.set(order.id, order)
        return success(withTotal(order), { reasoning: 'Next: order-assign, order-start, order-complete.' })
      },
    }),
    defineCommand({
      name: 'order-get',
      description: 'Show one order with its lines and total.',
      tags: ['crud', 'read'],
      mutation: false,
      executionTime: 'instant',
      errors: ['ORDER_NOT_FOUND'],
      examples: [{ input: { orderId: 'ord-3' } }],
      input: z.object({ orderId }),
      handler({ orderId }) {
        const order = state.orders.get(orderId)
        return order === undefined ? notFound('order', orderId) : success(withTotal(order))
      },
    }),
    defineCommand({
      name: 'order-list',
      description:
        'List orders by the day they are promised for, the earliest first. Filters by status, customer and mechanic.',
      tags: ['crud', 'read', 'floor'],
      mutation: false,
      executionTime: 'instant',
      examples: [{ title: 'Work that waits', input: { statuses: ['open', 'in-progress'] } }],
      input: z.object({
        statuses: z.array(z.enum(orderStatuses)).min(1).optional().describe('Only orders in one of these'),
        customerId: customerId.optional(),
        mechanicId: staffId.optional().describe('Only orders assigned to this person'),
        ...paging,
      }),
      handler({ statuses, customerId, mechanicId, ...page }) {
        const wanted = [...state.orders.values()]
          .filter(
            (order) =>
              (statuses?.includes(order.status) ?? true) &&
              (customerId ?? order.customerId) === order.customerId &&
              (mechanicId ?? order.mechanicId) === order.mechanicId,
          )
          .sort((a, b) => a.promisedOn.localeCompare(b.promisedOn))
        return success(pageOf(wanted.map(withTotal), page))
      },
    }),
    defineCommand({
      name: 'order-estimate',
      description: 'Work out what a repair would cost, without opening an order. Checks stock and club discount.',
      tags: ['read', 'front-desk', 'billing'],
      mutation: false,
      executionTime: 'fast',
      errors: ['CUSTOMER_NOT_FOUND', 'PART_NOT_FOUND', 'OUT_OF_STOCK'],
      examples: [
        { input: { customerId: 'cus-1', lines: [{ kind: 'labour', description: 'Wheel truing', minutes: 30 }] } },
      ],
      input: z.object({ customerId, lines: lines.min(1).describe('The work and parts to price') }),
      output: z.object({ totalCents: z.number(), minutes: z.number(), lines: z.array(z.unknown()).readonly() }),
      handler({ customerId, lines }) {
        const customer = state.customers.get(customerId)
        if (customer === undefined) return notFound('customer', customerId)
        const priced = priceLines(state, customer, lines)
        if (!priced.ok) return priced.failure
        const totalCents = totalOf(priced.lines)
        return success(
          { totalCents, minutes: labourMinutes(priced.lines), lines: priced.lines },
          { reasoning: `${euros(totalCents)} for a ${customer.membership} customer.`, confidence: 0.8 },
        )
      },
    }),
    defineCommand({
      name: 'order-add-line',
      description: 'Add parts or labour to an order that is not finished. Parts are taken from stock at once.',
      tags: ['write', 'floor'],
      mutation: true,
      executionTime: 'instant',
      errors: ['ORDER_NOT_FOUND', 'ORDER_STATUS', 'CUSTOMER_NOT_FOUND', 'PART_NOT_FOUND', 'OUT_OF_STOCK'],
      examples: [{ input: { orderId: 'ord-4', line: { kind: 'part', partId: 'prt-4' } } }],
      input: z.object({ orderId, line: lineInput.describe('A part or a piece of work') }),
      handler({ orderId, line }) {
        const order = findOpenOrder(state, orderId)
        if ('error' in order) return order
        const customer = state.customers.get(order.customerId)
        if (customer === undefined) return notFound('customer', order.customerId)
        const priced = priceLines(state, customer, [line], (order.lines.at(-1)?.line ?? 0) + 1)
        if (!priced.ok) return priced.failure
        takeStock(state, priced.lines)
        return success(save(state, { ...order, lines: [...order.lines, ...priced.lines] }))
      },
    }),
    defineCommand({
      name: 'order-remove-line',
      description: 'Remove a line from an order that is not finished. A part goes back into stock.',
      tags: ['write', 'floor'],
      mutation: true,
      executionTime: 'instant',
      errors: ['ORDER_NOT_FOUND', 'ORDER_STATUS', 'LINE_NOT_FOUND'],
      requires: ['order-get'],
      examples: [{ input: { orderId: 'ord-4', line: 2 } }],
      input: z.object({ orderId, line: z.number().int().min(1).describe('Number of the line, as order-get shows it') }),
      handler({ orderId, line }) {
        const order = findOpenOrder(state, orderId)
        if ('error' in order) return order
        const removed = order.lines.filter((one) => one.line === line)
        if (removed.length === 0) {
          return failure({
            code: 'LINE_NOT_FOUND',
            message: `Order ${orderId} has no line ${line}`,
            suggestion: `Its lines are ${order.lines.map((one) => one.line).join(', ') || 'none'}; see order-get.`,
          })
        }
        returnStock(state, removed)
        return success(save(state, { ...order, lines: order.lines.filter((one) => one.line !== line) }))
      },
    }),
    defineCommand({
      name: 'order-assign',
      description: 'Assign an order to a mechanic or an apprentice.',
      tags: ['write', 'floor'],
      mutation: true,
      executionTime: 'instant',
      errors: ['ORDER_NOT_FOUND', 'ORDER_STATUS', 'STAFF_NOT_FOUND', 'NOT_A_MECHANIC'],
      requires: ['staff-workload'],
      examples: [{ input: { orderId: 'ord-4', mechanicId: 'stf-3' } }],
      input: z.object({ orderId, mechanicId: staffId.describe('Who does the work') }),
      handler({ orderId, mechanicId }) {
        const order = findOpenOrder(state, orderId)
        if ('error' in order) return order
        const member = state.staff.get(mechanicId)
        if (member === undefined) return notFound('staff', mechanicId)
        if (!member.active || (member.role !== 'mechanic' && member.role !== 'apprentice')) {
          return failure({
            code: 'NOT_A_MECHANIC',
            message: `${member.name} (${member.id}) does not repair bikes here${member.active ? '' : ' any more'}`,
            suggestion: 'Call staff-workload to see who does and how busy they are.',
          })
        }
        return success(save(state, { ...order, mechanicId }))
      },
    }),
    defineCommand({
      name: 'order-start',
      description: 'Start the work on an assigned order. The bike counts as being in the workshop from now on.',
      tags: ['write', 'floor'],
      mutation: true,
      executionTime: 'instant',
      errors: ['ORDER_NOT_FOUND', 'ORDER_STATUS', 'NOT_ASSIGNED'],
      requires: ['order-assign'],
      contexts: ['workshop-floor'],
      examples: [{ input: { orderId: 'ord-6' } }],
      input: z.object({ orderId }),
      handler({ orderId }) {
        const order = state.orders.get(orderId)
        if (order === undefined) return notFound('order', orderId)
        if (order.status !== 'open') {
          return wrongStatus(
            'order',
            orderId,
            order.status,
            'Call order-list with statuses ["open"] to see what waits.',
          )
        }
        if (order.mechanicId === null) {
          return failure({
            code: 'NOT_ASSIGNED',
            message: `No mechanic is assigned to order ${orderId}`,
            suggestion: `Call order-assign with orderId '${orderId}' and a mechanicId from staff-workload.`,
          })
        }
        const bike = state.bikes.get(order.bikeId)
        if (bike !== undefined) state.bikes.set(bike.id, { ...bike, place: 'in-workshop' })
        return success(save(state, { ...order, status: 'in-progress' }))
      },
    }),
    defineCommand({
      name: 'order-complete',
      description: 'Mark the work on an order as done, so that it can be invoiced.',
      tags: ['write', 'floor'],
      mutation: true,
      executionTime: 'instant',
      errors: ['ORDER_NOT_FOUND', 'ORDER_STATUS', 'ORDER_EMPTY'],
      requires: ['order-start'],
      contexts: ['workshop-floor'],
      examples: [{ input: { orderId: 'ord-3' } }],
      input: z.object({ orderId }),
      handler({ orderId }) {
        const order = state.orders.get(orderId)
        if (order === undefined) return notFound('order', orderId)
        if (order.status !== 'in-progress') {
          return wrongStatus('order', orderId, order.status, 'Only work under way can be completed: see order-start.')
        }
        if (order.lines.length === 0) {
          return failure({
            code: 'ORDER_EMPTY',
            message: `Order ${orderId} has no lines, so there would be nothing to invoice`,
            suggestion: `Call order-add-line with the work that was done, or order-cancel.`,
          })
        }
        const done = save(state, { ...order, status: 'done', closedOn: state.today })
        return success(done, { reasoning: `Next: invoice-create with orderId '${orderId}'.` })
      },
    }),
    defineCommand({
      name: 'order-cancel',
      description: 'Cancel an order that is not finished. Its parts go back into stock.',
      tags: ['crud', 'write', 'front-desk'],
      ...destroys('Cancel this order and put its parts back into stock?'),
      executionTime: 'instant',
      errors: ['ORDER_NOT_FOUND', 'ORDER_STATUS'],
      requires: ['order-get'],
      examples: [{ input: { orderId: 'ord-4', reason: 'The customer bought a new bike' } }],
      input: z.object({ orderId, reason: z.string().min(3).describe('Kept with the order') }),
      handler({ orderId, reason }) {
        const order = findOpenOrder(state, orderId)
        if ('error' in order) return order
        returnStock(state, order.lines)
        const problem = `${order.problem} (cancelled: ${reason})`
        return success(save(state, { ...order, problem, status: 'cancelled', closedOn: state.today }))
      },
    }),
  ]
}

function withTotal(order: Order) {
  return { ...order, totalCents: totalOf(order.lines) }
}

function save(state: WorkshopState, order: Order) {
  state.orders.set(order.id, order)
  return withTotal(order)
}
