// Open orders: those that are open or in progress, and can still change.

import type { FailureResult } from 'toolcrib'
import { notFound, wrongStatus } from './failures.ts'
import type { Order, WorkshopState } from './model.ts'

export function openOrders(state: WorkshopState, where: (order: Order) => boolean): Order[] {
  return [...state.orders.values()].filter((order) => isOpen(order) && where(order))
}

export function findOpenOrder(state: WorkshopState, orderId: string): Order | FailureResult {
  const order = state.orders.get(orderId)
  if (order === undefined) return notFound('order', orderId)
  if (isOpen(order)) return order
  return wrongStatus('order', orderId, order.status, 'Call order-create to open a new order for the same bike.')
}

/** The commands that complete an order, in the order of the calls, for example `order-start, then order-complete`. */
export function callsToComplete({ status, mechanicId }: Order): string {
  const calls = status === 'open' ? ['order-start', 'order-complete'] : ['order-complete']
  return (mechanicId === null ? ['order-assign', ...calls] : calls).join(', then ')
}

export function isOpen({ status }: Order): boolean {
  return status === 'open' || status === 'in-progress'
}
