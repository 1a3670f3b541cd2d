// Commands for customers and their history.

import { type Command, defineCommand, failure, success } from 'toolcrib'
import { z } from 'zod'
import { destroys } from '../../shared/effects.ts'
import { balanceCents } from '../billing.ts'
import { notFound } from '../failures.ts'
import { contains, customerId, given, pageOf, paging } from '../fields.ts'
import { type Customer, memberships, type Order, type WorkshopState } from '../model.ts'
import { callsToComplete, isOpen } from '../open-orders.ts'
import { nextId } from '../state.ts'

const details = {
  name: z.string().min(2).max(80).describe('Full name'),
  email: z.email().describe('Unique among customers'),
  phone: z.string().min(5).nullable().describe('With country code; null where there is none'),
  city: z.string().min(1).describe('City of residence'),
  membership: z.enum(memberships).describe('Club members get 10 % off labour'),
}

const customerShape = z.object({
  id: z.string(),
  ...details,
  notes: z.array(z.string()).readonly(),
  since: z.string(),
})

export function customerCommands(state: WorkshopState): Command[] {
  return [
    defineCommand({
      name: 'customer-create',
      description: 'Add a new customer. Two customers never share an email address.',
      tags: ['crud', 'write', 'front-desk'],
      mutation: true,
      executionTime: 'instant',
      errors: ['EMAIL_TAKEN'],
      requires: ['customer-search'],
      examples: [{ title: 'A walk-in', input: { name: 'Noor Haddad', email: 'noor@haddad.example', city: 'Malmö' } }],
      input: z.object({
        ...details,
        phone: details.phone.default(null),
        membership: details.membership.default('standard'),
      }),
      handler(input) {
        const taken = emailOwner(state, input.email)
        if (taken !== undefined) return emailTaken(taken)
        const customer: Customer = { id: nextId(state, 'cus'), ...input, notes: [], since: state.today }
        state.customers.set(customer.id, customer)
        return success(customer, { reasoning: `No other customer uses ${input.email}.`, confidence: 1 })
      },
    }),
    defineCommand({
      name: 'customer-get',
      description: 'Show one customer with contact details and notes.',
      tags: ['crud', 'read'],
      mutation: false,
      executionTime: 'instant',
      errors: ['CUSTOMER_NOT_FOUND'],
      examples: [{ input: { customerId: 'cus-1' } }],
      input: z.object({ customerId }),
      output: customerShape,
      handler: ({ customerId }) => {
        const customer = state.customers.get(customerId)
        return customer === undefined ? notFound('customer', customerId) : success(customer)
      },
    }),
    defineCommand({
      name: 'customer-list',
      description: 'List customers by name, or with the newest first. Filters by city and membership.',
      tags: ['crud', 'read'],
      mutation: false,
      executionTime: 'instant',
      examples: [{ title: 'Club members of one city', input: { city: 'Malmö', membership: 'club' } }],
      input: z.object({
        city: z.string().optional().describe('Only this city'),
        membership: z.enum(memberships).optional().describe('Only this membership'),
        sortBy: z.enum(['name', 'newest']).default('name').describe('Order of the list'),
        ...paging,
      }),
      output: z.object({ items: z.array(customerShape).readonly(), total: z.number(), hasMore: z.boolean() }),
      handler({ city, membership, sortBy, ...page }) {
        const wanted = [...state.customers.values()].filter(
          (one) => (city === undefined || one.city === city) && (membership ?? one.membership) === one.membership,
        )
        wanted.sort((a, b) => (sortBy === 'name' ? a.name.localeCompare(b.name) : b.since.localeCompare(a.since)))
        return success(pageOf(wanted, page))
      },
    }),
    defineCommand({
      name: 'customer-search',
      description: 'Find customers by a part of their name, email address or phone number.',
      tags: ['read', 'front-desk'],
      mutation: false,
      executionTime: 'instant',
      examples: [{ input: { text: 'brandt' } }],
      input: z.object({ text: z.string().min(2).describe('Any part, upper or lower case'), limit: paging.limit }),
      handler({ text, limit }) {
        const hits = [...state.customers.values()].filter(({ name, email, phone }) =>
          contains(text, name, email, phone ?? ''),
        )
        return success(pageOf(hits, { limit, offset: 0 }), {
          reasoning: `'${text}' occurs in ${hits.length} of ${state.customers.size} customers.`,
          confidence: hits.length === 1 ? 1 : 0.7,
        })
      },
    }),
    defineCommand({
      name: 'customer-update',
      description: "Change a customer's contact details or membership. Fields that are left out stay as they are.",
      tags: ['crud', 'write', 'front-desk'],
      mutation: true,
      executionTime: 'instant',
      errors: ['CUSTOMER_NOT_FOUND', 'EMAIL_TAKEN'],
      examples: [{ title: 'Moved house', input: { customerId: 'cus-4', city: 'Malmö' } }],
      input: z.object({ customerId, ...z.object(details).partial().shape }),
      handler({ customerId, ...changes }) {
        const customer = state.customers.get(customerId)
        if (customer === undefined) return notFound('customer', customerId)
        const owner = changes.email === undefined ? undefined : emailOwner(state, changes.email)
        if (owner !== undefined && owner.id !== customerId) return emailTaken(owner)
        const updated = { ...customer, ...given(changes) }
        state.customers.set(customerId, updated)
        return success(updated, { reasoning: `Changed ${Object.keys(given(changes)).join(', ') || 'nothing'}.` })
      },
    }),
    defineCommand({
      name: 'customer-add-note',
      description: 'Write a note on a customer that everyone at the counter will see.',
      tags: ['write', 'front-desk'],
      mutation: true,
      executionTime: 'instant',
      errors: ['CUSTOMER_NOT_FOUND'],
      examples: [{ input: { customerId: 'cus-2', note: 'Prefers to be called after 17:00.' } }],
      input: z.object({ customerId, note: z.string().min(1).max(500).describe('Plain text') }),
      handler({ customerId, note }) {
        const customer = state.customers.get(customerId)
        if (customer === undefined) return notFound('customer', customerId)
        const updated = { ...customer, notes: [...customer.notes, `${state.today}: ${note}`] }
        state.customers.set(customerId, updated)
        return success(updated)
      },
    }),
    defineCommand({
      name: 'customer-history',
      description: "Show a customer's bikes, orders, invoices and appointments, and what they still owe.",
      tags: ['read', 'front-desk', 'billing'],
      mutation: false,
      executionTime: 'fast',
      errors: ['CUSTOMER_NOT_FOUND'],
      examples: [{ input: { customerId: 'cus-3' } }],
      input: z.object({ customerId }),
      handler({ customerId }) {
        const customer = state.customers.get(customerId)
        if (customer === undefined) return notFound('customer', customerId)
        const { bikes, orders, invoices, appointments } = recordsOf(state, customerId)
        const owedCents = invoices.reduce((sum, invoice) => sum + balanceCents(invoice), 0)
        return success({ customer, bikes, orders, invoices, appointments, owedCents })
      },
    }),
    defineCommand({
      name: 'customer-merge',
      description:
        'Merge a duplicate customer into another customer, who gets all its records. The duplicate is removed.',
      tags: ['write', 'admin'],
      ...destroys('Merge these two customers? The duplicate record is removed for good.'),
      executionTime: 'fast',
      errors: ['CUSTOMER_NOT_FOUND', 'SAME_CUSTOMER'],
      requires: ['customer-search', 'customer-history'],
      examples: [{ title: 'One person, two records', input: { keepId: 'cus-5', duplicateId: 'cus-6' } }],
      input: z.object({
        keepId: customerId.describe('The customer that stays'),
        duplicateId: customerId.describe('The customer that is removed'),
      }),
      handler({ keepId, duplicateId }) {
        const keep = state.customers.get(keepId)
        const duplicate = state.customers.get(duplicateId)
        if (keep === undefined) return notFound('customer', keepId)
        if (duplicate === undefined) return notFound('customer', duplicateId)
        if (keep === duplicate) {
          return failure({
            code: 'SAME_CUSTOMER',
            message: `Both ids are '${keepId}'`,
            suggestion: `Call customer-search with '${keep.name}' to find the id of the duplicate.`,
          })
        }
        const { bikes, orders, invoices, appointments } = recordsOf(state, duplicateId)
        for (const bike of bikes) state.bikes.set(bike.id, { ...bike, customerId: keepId })
        for (const order of orders) state.orders.set(order.id, { ...order, customerId: keepId })
        for (const invoice of invoices) state.invoices.set(invoice.id, { ...invoice, customerId: keepId })
        for (const one of appointments) state.appointments.set(one.id, { ...one, customerId: keepId })
        const merged = { ...keep, phone: keep.phone ?? duplicate.phone, notes: [...keep.notes, ...duplicate.notes] }
        state.customers.set(keepId, merged)
        state.customers.delete(duplicateId)
        const moved = bikes.length + orders.length + invoices.length + appointments.length
        return success({ customer: merged, removed: duplicateId, moved })
      },
    }),
    defineCommand({
      name: 'customer-delete',
      description: 'Delete a customer, their bikes and their appointments. Refused while work or money is open.',
      tags: ['crud', 'write', 'admin'],
      ...destroys('Delete this customer with all bikes and appointments? This cannot be undone.'),
      executionTime: 'fast',
      errors: ['CUSTOMER_NOT_FOUND', 'CUSTOMER_HAS_OPEN_WORK'],
      requires: ['customer-history'],
      examples: [{ input: { customerId: 'cus-6' } }],
      input: z.object({ customerId }),
      handler({ customerId }) {
        const customer = state.customers.get(customerId)
        if (customer === undefined) return notFound('customer', customerId)
        const { bikes, orders, invoices, appointments } = recordsOf(state, customerId)
        const unbilled = orders.find(({ status }) => status !== 'invoiced' && status !== 'cancelled')
        const openInvoice = invoices.find(({ status }) => status === 'open')
        if (unbilled !== undefined || openInvoice !== undefined) {
          return failure({
            code: 'CUSTOMER_HAS_OPEN_WORK',
            message: `${customer.name} still has ${unbilled?.id ?? openInvoice?.id} open`,
            suggestion: unbilled !== undefined ? stepsToBill(unbilled) : `Call invoice-pay for ${openInvoice?.id}.`,
          })
        }
        for (const { id } of bikes) state.bikes.delete(id)
        for (const { id } of appointments) state.appointments.delete(id)
        state.customers.delete(customerId)
        return success({ deleted: customerId, bikes: bikes.length, appointments: appointments.length })
      },
    }),
  ]
}

function stepsToBill(order: Order): string {
  if (!isOpen(order)) return `Call invoice-create for ${order.id}.`
  return `Call ${callsToComplete(order)}, then invoice-create for ${order.id}, or order-cancel.`
}

function recordsOf(state: WorkshopState, customerId: string) {
  const mine = <T extends { readonly customerId: string }>(table: ReadonlyMap<string, T>) =>
    [...table.values()].filter((record) => record.customerId === customerId)
  return {
    bikes: mine(state.bikes),
    orders: mine(state.orders),
    invoices: mine(state.invoices),
    appointments: mine(state.appointments),
  }
}

function emailOwner(state: WorkshopState, email: string): Customer | undefined {
  return [...state.customers.values()].find((one) => one.email.toLowerCase() === email.toLowerCase())
}

function emailTaken({ id, name, email }: Customer) {
  return failure({
    code: 'EMAIL_TAKEN',
    message: `${email} belongs to ${name} (${id})`,
    suggestion: `Use customer-update with customerId '${id}' if it is the same person, else ask for another address.`,
    details: { customerId: id },
  })
}
