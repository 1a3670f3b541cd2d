// Commands for customers, including the erasure of their data.

import { type Command, defineCommand, failure, success } from 'toolcrib'
import { z } from 'zod'
import { nextNumber } from '../../../shared/counters.ts'
import { changes, destroys, reads } from '../../../shared/effects.ts'
import { contains, given, pageOf, paging } from '../../../shared/fields.ts'
import { noCustomer } from '../failures.ts'
import { address, country, customerId } from '../fields.ts'
import type { Shop, ShopCustomer } from '../model.ts'

const ERASED = 'erased'

export function customerCommands(shop: Shop): Command[] {
  const owner = (email: string) =>
    [...shop.customers.values()].find((one) => one.email.toLowerCase() === email.toLowerCase())
  const ordersOf = (id: string) => [...shop.orders.values()].filter((order) => order.customerId === id)
  return [
    defineCommand({
      name: 'customer-list',
      description: 'List or look up customers by name, email address, city or country, with their number of orders.',
      category: 'customer',
      tags: ['read', 'crm'],
      ...reads,
      examples: [{ input: { text: 'moreira' } }],
      input: z.object({
        text: z.string().default('').describe('A part of the name, email address or city'),
        country: country.optional(),
        ...paging,
      }),
      handler({ text, country, ...page }) {
        const wanted = [...shop.customers.values()].filter(
          ({ email, address, isErased }) =>
            !isErased &&
            (country ?? address.country) === address.country &&
            contains(text, address.name, email, address.city),
        )
        const items = wanted.map((one) => ({ ...one, orders: ordersOf(one.id).length }))
        return success(pageOf(items, page))
      },
    }),
    defineCommand({
      name: 'customer-create',
      description: 'Register a customer with a delivery address. Two customers never share an email address.',
      category: 'customer',
      tags: ['write', 'crm'],
      ...changes,
      errors: ['EMAIL_TAKEN'],
      examples: [
        {
          input: {
            email: 'pia@holm.example',
            address: { name: 'Pia Holm', street: 'Torget 1', postcode: '0150', city: 'Oslo', country: 'NO' },
          },
        },
      ],
      input: z.object({
        email: z
          .string()
          .regex(/^\S+@\S+\.\S+$/, 'not an email address')
          .describe('Unique among customers'),
        address,
        wantsNews: z.boolean().default(false).describe('Has asked for the newsletter'),
      }),
      handler(input) {
        const taken = owner(input.email)
        if (taken !== undefined) return emailTaken(taken)
        const customer: ShopCustomer = { id: `cus-${nextNumber(shop.counters, 'cus')}`, ...input, isErased: false }
        shop.customers.set(customer.id, customer)
        return success(customer)
      },
    }),
    defineCommand({
      name: 'customer-update',
      description: "Change parts of a customer's address, or whether they get the newsletter. What is left out stays.",
      category: 'customer',
      tags: ['write', 'crm'],
      ...changes,
      errors: ['CUSTOMER_NOT_FOUND'],
      examples: [{ input: { customerId: 'cus-2', address: { street: 'Oderberger Str. 9' } } }],
      input: z.object({
        customerId,
        address: address.partial().default({}).describe('Only the parts that change'),
        wantsNews: z.boolean().optional().describe('Has asked for the newsletter'),
      }),
      handler({ customerId, address, wantsNews }) {
        const customer = shop.customers.get(customerId)
        if (customer === undefined || customer.isErased) return noCustomer(shop, customerId)
        const updated = {
          ...customer,
          address: { ...customer.address, ...given(address) },
          wantsNews: wantsNews ?? customer.wantsNews,
        }
        shop.customers.set(customerId, updated)
        return success(updated)
      },
    }),
    defineCommand({
      name: 'customer-erase',
      description: "Erase a customer's personal data on request (GDPR). Orders stay for the books, without a name.",
      category: 'customer',
      tags: ['write', 'admin', 'privacy'],
      ...destroys('Erase all personal data of {customerId}? This cannot be undone.'),
      errors: ['CUSTOMER_NOT_FOUND', 'CUSTOMER_HAS_OPEN_ORDERS'],
      requires: ['order-list'],
      examples: [{ input: { customerId: 'cus-3' } }],
      input: z.object({ customerId }),
      handler({ customerId }) {
        const customer = shop.customers.get(customerId)
        if (customer === undefined || customer.isErased) return noCustomer(shop, customerId)
        const orders = ordersOf(customerId)
        const open = orders.filter(({ status }) => status === 'placed').map(({ id }) => id)
        if (open.length > 0) return hasOpenOrders(customerId, open)
        const blank = {
          name: ERASED,
          street: ERASED,
          postcode: ERASED,
          city: ERASED,
          country: customer.address.country,
        }
        for (const order of orders) shop.orders.set(order.id, { ...order, shipTo: blank })
        shop.customers.set(customerId, {
          id: customerId,
          email: ERASED,
          address: blank,
          wantsNews: false,
          isErased: true,
        })
        return success({ erased: customerId, ordersKept: orders.length })
      },
    }),
  ]
}

function emailTaken({ id, email }: ShopCustomer) {
  return failure({
    code: 'EMAIL_TAKEN',
    message: `${email} belongs to ${id}`,
    suggestion: `Use customer-update with customerId '${id}' if it is the same person, else ask for another address.`,
    details: { customerId: id },
  })
}

function hasOpenOrders(id: string, orders: readonly string[]) {
  return failure({
    code: 'CUSTOMER_HAS_OPEN_ORDERS',
    message: `${id} still waits for ${orders.join(', ')}`,
    suggestion: `Call shipment-create or order-cancel for ${orders[0]} first.`,
    details: { orders },
  })
}
