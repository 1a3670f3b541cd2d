// Finds orders that can still change: open orders and orders in progress.

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

function isOpen({ status }: Order): boolean {
  return status === 'open' || status === 'in-progress'
}
