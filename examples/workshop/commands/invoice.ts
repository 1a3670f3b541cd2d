// Commands for invoices, payments and refunds.

import { type Command, defineCommand, failure, success } from 'toolcrib'
import { z } from 'zod'
import { destroys } from '../../shared/effects.ts'
import { balanceCents, euros, isOverdue, paidCents } from '../billing.ts'
import { addDays, daysBetween } from '../calendar.ts'
import { notFound, wrongStatus } from '../failures.ts'
import { cents, customerId, invoiceId, orderId, pageOf, paging } from '../fields.ts'
import { type Invoice, invoiceStatuses, type Order, paymentMethods, type WorkshopState } from '../model.ts'
import { callsToComplete } from '../open-orders.ts'
import { totalOf } from '../order-lines.ts'
import { nextId } from '../state.ts'

const DAYS_BETWEEN_REMINDERS = 7

export function invoiceCommands(state: WorkshopState): Command[] {
  return [
    defineCommand({
      name: 'invoice-create',
      description: 'Invoice a finished order. The amount comes from the lines of the order.',
      tags: ['crud', 'write', 'billing'],
      mutation: true,
      executionTime: 'fast',
      errors: ['ORDER_NOT_FOUND', 'ORDER_STATUS'],
      requires: ['order-complete'],
      examples: [{ input: { orderId: 'ord-5' } }],
      input: z.object({
        orderId,
        dueInDays: z.number().int().min(0).max(90).default(14).describe('Days until payment is due'),
      }),
      handler({ orderId, dueInDays }) {
        const order = state.orders.get(orderId)
        if (order === undefined) return notFound('order', orderId)
        if (order.status !== 'done') {
          return wrongStatus('order', orderId, order.status, stepBeforeInvoice(order))
        }
        const invoice: Invoice = {
          id: nextId(state, 'inv'),
          orderId,
          customerId: order.customerId,
          totalCents: totalOf(order.lines),
          status: 'open',
          issuedOn: state.today,
          dueOn: addDays(state.today, dueInDays),
          payments: [],
          remindedOn: [],
        }
        state.orders.set(orderId, { ...order, status: 'invoiced' })
        return success(save(state, invoice), {
          reasoning: `Lines of ${orderId}: ${order.lines.length}.`,
          confidence: 1,
        })
      },
    }),
    defineCommand({
      name: 'invoice-get',
      description: 'Show one invoice with its lines, payments and balance.',
      tags: ['crud', 'read', 'billing'],
      mutation: false,
      executionTime: 'instant',
      errors: ['INVOICE_NOT_FOUND'],
      examples: [{ input: { invoiceId: 'inv-1' } }],
      input: z.object({ invoiceId }),
      handler({ invoiceId }) {
        const invoice = state.invoices.get(invoiceId)
        if (invoice === undefined) return notFound('invoice', invoiceId)
        return success({ ...withBalance(invoice), lines: state.orders.get(invoice.orderId)?.lines ?? [] })
      },
    }),
    defineCommand({
      name: 'invoice-list',
      description: 'List invoices with their balance, the newest first. Filters by customer and status.',
      tags: ['crud', 'read', 'billing'],
      mutation: false,
      executionTime: 'instant',
      examples: [{ title: 'What is still open', input: { status: 'open' } }],
      input: z.object({
        customerId: customerId.optional(),
        status: z.enum(invoiceStatuses).optional().describe('Only this status'),
        ...paging,
      }),
      handler({ customerId, status, ...page }) {
        const wanted = [...state.invoices.values()]
          .filter((one) => (customerId ?? one.customerId) === one.customerId && (status ?? one.status) === one.status)
          .sort((a, b) => b.issuedOn.localeCompare(a.issuedOn))
        return success(pageOf(wanted.map(withBalance), page))
      },
    }),
    defineCommand({
      name: 'invoice-overdue',
      description: 'List invoices past their due date, the oldest first, with the days they are late.',
      tags: ['read', 'billing'],
      mutation: false,
      executionTime: 'fast',
      examples: [{ input: {} }],
      input: z.object({ minDaysLate: z.number().int().min(1).default(1).describe('Only invoices at least this late') }),
      output: z.object({
        invoices: z.array(
          z.object({ invoiceId: z.string(), customer: z.string(), balanceCents: z.number(), daysLate: z.number() }),
        ),
        totalCents: z.number(),
      }),
      handler({ minDaysLate }) {
        const invoices = [...state.invoices.values()]
          .filter((invoice) => isOverdue(invoice, state.today))
          .map((invoice) => ({
            invoiceId: invoice.id,
            customer: state.customers.get(invoice.customerId)?.name ?? invoice.customerId,
            balanceCents: balanceCents(invoice),
            daysLate: daysBetween(invoice.dueOn, state.today),
          }))
          .filter(({ daysLate }) => daysLate >= minDaysLate)
          .sort((a, b) => b.daysLate - a.daysLate)
        const totalCents = invoices.reduce((sum, invoice) => sum + invoice.balanceCents, 0)
        return success({ invoices, totalCents }, { reasoning: `As of ${state.today}.`, confidence: 1 })
      },
    }),
    defineCommand({
      name: 'invoice-pay',
      description: 'Record a payment on an open invoice. Part payments are allowed; the last one closes it.',
      tags: ['write', 'billing', 'front-desk'],
      mutation: true,
      executionTime: 'instant',
      errors: ['INVOICE_NOT_FOUND', 'INVOICE_STATUS', 'OVERPAID'],
      requires: ['invoice-get'],
      examples: [{ title: 'In full, by card', input: { invoiceId: 'inv-2', method: 'card' } }],
      input: z.object({
        invoiceId,
        amountCents: cents.min(1).optional().describe('In euro cents; the whole balance if left out'),
        method: z.enum(paymentMethods).describe('How it was paid'),
      }),
      handler({ invoiceId, amountCents, method }) {
        const invoice = state.invoices.get(invoiceId)
        if (invoice === undefined) return notFound('invoice', invoiceId)
        if (invoice.status !== 'open') {
          return wrongStatus(
            'invoice',
            invoiceId,
            invoice.status,
            'Call invoice-list with status "open" to see the rest.',
          )
        }
        const balance = balanceCents(invoice)
        const paid = amountCents ?? balance
        if (paid > balance) {
          return failure({
            code: 'OVERPAID',
            message: `${euros(paid)} is more than the ${euros(balance)} still owed on ${invoiceId}`,
            suggestion: `Leave amountCents out to pay the whole balance, or give at most ${balance}.`,
          })
        }
        const payments = [...invoice.payments, { amountCents: paid, method, paidOn: state.today }]
        return success(save(state, { ...invoice, payments, status: paid === balance ? 'paid' : 'open' }))
      },
    }),
    defineCommand({
      name: 'invoice-remind',
      description: 'Send a payment reminder for an overdue invoice. At most one a week goes out.',
      tags: ['write', 'billing'],
      mutation: true,
      executionTime: 'slow',
      errors: ['INVOICE_NOT_FOUND', 'NOT_OVERDUE', 'REMINDED_RECENTLY'],
      requires: ['invoice-overdue'],
      contexts: ['billing'],
      examples: [{ input: { invoiceId: 'inv-1', tone: 'friendly' } }],
      input: z.object({
        invoiceId,
        tone: z.enum(['friendly', 'firm']).default('friendly').describe('Tone of the letter'),
      }),
      handler({ invoiceId, tone }) {
        const invoice = state.invoices.get(invoiceId)
        if (invoice === undefined) return notFound('invoice', invoiceId)
        if (!isOverdue(invoice, state.today)) {
          return failure({
            code: 'NOT_OVERDUE',
            message: `Invoice ${invoiceId} is ${invoice.status} and due on ${invoice.dueOn}`,
            suggestion: 'Call invoice-overdue to see which invoices are late.',
          })
        }
        const last = invoice.remindedOn.at(-1)
        if (last !== undefined && daysBetween(last, state.today) < DAYS_BETWEEN_REMINDERS) {
          return failure({
            code: 'REMINDED_RECENTLY',
            message: `A reminder for ${invoiceId} went out on ${last}`,
            suggestion: `Wait until ${addDays(last, DAYS_BETWEEN_REMINDERS)}, or call the customer: see customer-get.`,
          })
        }
        const saved = save(state, { ...invoice, remindedOn: [...invoice.remindedOn, state.today] })
        return success({ invoice: saved, tone, sentTo: state.customers.get(invoice.customerId)?.email ?? null })
      },
    }),
    defineCommand({
      name: 'invoice-refund',
      description: 'Pay money back on a paid invoice, all of it or a part.',
      tags: ['write', 'billing', 'admin'],
      ...destroys('Pay this money back to the customer?'),
      executionTime: 'slow',
      errors: ['INVOICE_NOT_FOUND', 'INVOICE_STATUS', 'REFUND_TOO_LARGE'],
      requires: ['invoice-get'],
      contexts: ['billing'],
      examples: [{ title: 'Goodwill', input: { invoiceId: 'inv-3', amountCents: 500, method: 'card' } }],
      input: z.object({
        invoiceId,
        amountCents: cents.min(1).describe('In euro cents'),
        method: z.enum(paymentMethods).default('transfer').describe('How it is paid back'),
      }),
      handler({ invoiceId, amountCents, method }) {
        const invoice = state.invoices.get(invoiceId)
        if (invoice === undefined) return notFound('invoice', invoiceId)
        if (invoice.status !== 'paid') {
          return wrongStatus('invoice', invoiceId, statusOf(invoice), nextStep(invoice))
        }
        const paid = paidCents(invoice)
        if (amountCents > paid) {
          return failure({
            code: 'REFUND_TOO_LARGE',
            message: `${euros(amountCents)} is more than the ${euros(paid)} that was paid on ${invoiceId}`,
            suggestion: `Refund at most ${paid} cents.`,
          })
        }
        const payments = [...invoice.payments, { amountCents: -amountCents, method, paidOn: state.today }]
        return success(save(state, { ...invoice, payments, status: amountCents === paid ? 'refunded' : 'paid' }))
      },
    }),
    defineCommand({
      name: 'invoice-void',
      description: 'Cancel an unpaid invoice that was wrong. Its order counts as done again and can be invoiced anew.',
      tags: ['crud', 'write', 'billing', 'admin'],
      ...destroys('Void this invoice? Its number stays used.'),
      executionTime: 'instant',
      errors: ['INVOICE_NOT_FOUND', 'INVOICE_STATUS'],
      requires: ['invoice-get'],
      contexts: ['billing'],
      examples: [{ input: { invoiceId: 'inv-2' } }],
      input: z.object({ invoiceId }),
      handler({ invoiceId }) {
        const invoice = state.invoices.get(invoiceId)
        if (invoice === undefined) return notFound('invoice', invoiceId)
        if (invoice.status !== 'open' || invoice.payments.length > 0) {
          return wrongStatus('invoice', invoiceId, statusOf(invoice), nextStep(invoice))
        }
        const order = state.orders.get(invoice.orderId)
        if (order !== undefined) state.orders.set(order.id, { ...order, status: 'done' })
        return success(save(state, { ...invoice, status: 'void' }))
      },
    }),
  ]
}

function statusOf({ status, payments }: Invoice): string {
  return status === 'open' && payments.length > 0 ? 'partly paid' : status
}

/** The step to make with an order that cannot be invoiced now. */
function stepBeforeInvoice(order: Order): string {
  const { id, customerId, status } = order
  if (status === 'invoiced') return `Call invoice-list with customerId '${customerId}' to see its invoice.`
  if (status === 'cancelled') return 'Call order-create to open a new order for the same bike.'
  return `Call ${callsToComplete(order)} for ${id} first.`
}

/** The step that corrects an invoice. */
function nextStep(invoice: Invoice): string {
  switch (statusOf(invoice)) {
    case 'open':
      return 'Call invoice-void to cancel it.'
    case 'partly paid':
      return 'Call invoice-pay to settle the rest, then invoice-refund to pay money back.'
    case 'paid':
      return 'Call invoice-refund to pay the money back.'
    default:
      return 'There is nothing left to correct; invoice-get shows its payments.'
  }
}

function withBalance(invoice: Invoice) {
  return { ...invoice, balanceCents: balanceCents(invoice) }
}

function save(state: WorkshopState, invoice: Invoice) {
  state.invoices.set(invoice.id, invoice)
  return withBalance(invoice)
}
