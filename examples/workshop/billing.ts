// The paid amount and the balance of an invoice.

import type { Invoice } from './model.ts'

export function paidCents({ payments }: Invoice): number {
  return payments.reduce((sum, { amountCents }) => sum + amountCents, 0)
}

export function balanceCents(invoice: Invoice): number {
  return invoice.status === 'open' ? invoice.totalCents - paidCents(invoice) : 0
}

export function isOverdue(invoice: Invoice, today: string): boolean {
  return invoice.status === 'open' && invoice.dueOn < today
}

export function euros(cents: number): string {
  return `${(cents / 100).toFixed(2)} EUR`
}
