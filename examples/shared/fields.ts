// Schema pieces and list handling that the commands of every example share.

import { z } from 'zod'

// A short pattern instead of z.iso.date(), because the leap-year expression of z.iso.date() adds 100 tokens to the schema.
export const date = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, { error: 'not a date like 2026-03-02', abort: true })
  .refine(isRealDate, 'not a day of the calendar')

export const dateTime = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/, { error: 'not a time like 2026-03-02T09:00:00Z', abort: true })
  .refine((text) => isRealDate(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)), 'not a time of the calendar')

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

/** Removes undefined fields, so that they do not overwrite the stored values. */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined)
  // The cast is safe: the undefined values were just removed.
  return Object.fromEntries(present) as { [K in keyof T]?: Exclude<T[K], undefined> }
}

/** Whether any of the texts contains the query, ignoring case. */
export function contains(query: string, ...texts: readonly string[]): boolean {
  return texts.some((text) => text.toLowerCase().includes(query.toLowerCase()))
}

export function byKey<T, K extends PropertyKey>(records: readonly T[], keyOf: (record: T) => K): Map<K, T> {
  return new Map(records.map((record) => [keyOf(record), record]))
}

function isRealDate(text: string): boolean {
  const parsed = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text)
}
