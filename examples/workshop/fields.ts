// Schema pieces that many commands share.

import { z } from 'zod'

export const customerId = z.string().describe('Customer id, such as cus-1')
export const bikeId = z.string().describe('Bike id, such as bik-1')
export const orderId = z.string().describe('Order id, such as ord-1')
export const partId = z.string().describe('Part id, such as prt-1')
export const invoiceId = z.string().describe('Invoice id, such as inv-1')
export const appointmentId = z.string().describe('Appointment id, such as apt-1')
export const staffId = z.string().describe('Staff id, such as stf-1')

export const cents = z.number().int().min(0).max(10_000_000)

// A short pattern instead of z.iso.date(): its leap-year expression would cost every reader of the schema 100 tokens.
export const date = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/)
  .refine(isRealDate, 'not a day of the calendar')
export const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/)

export const paging = {
  limit: z.number().int().min(1).max(100).default(20).describe('At most this many'),
  offset: z.number().int().min(0).default(0).describe('Skip this many'),
}

export interface Page<T> {
  readonly items: readonly T[]
  readonly total: number
  readonly hasMore: boolean
}

export function pageOf<T>(all: readonly T[], { limit, offset }: { limit: number; offset: number }): Page<T> {
  return { items: all.slice(offset, offset + limit), total: all.length, hasMore: offset + limit < all.length }
}

/** Only the fields that were given: an absent one must not overwrite what is on record. */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined)
  // The undefined values were just removed, which is all that the type says beyond T.
  return Object.fromEntries(present) as { [K in keyof T]?: Exclude<T[K], undefined> }
}

/** Whether any of the texts holds the query, ignoring case. */
export function contains(query: string, ...texts: readonly string[]): boolean {
  return texts.some((text) => text.toLowerCase().includes(query.toLowerCase()))
}

function isRealDate(text: string): boolean {
  const parsed = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text)
}
