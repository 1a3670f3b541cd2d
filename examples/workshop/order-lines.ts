// Computes the prices of order lines, and takes their parts from stock or returns them.

import { type FailureResult, failure } from 'toolcrib'
import { z } from 'zod'
import { notFound } from './failures.ts'
import type { BikePart, Customer, OrderLine, WorkshopState } from './model.ts'

const LABOUR_CENTS_PER_MINUTE = 120
const CLUB_LABOUR_DISCOUNT = 0.1

export const lineInput = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('part'),
    partId: z.string().describe('Part id, such as prt-1'),
    quantity: z.number().int().min(1).max(50).default(1).describe('Pieces'),
  }),
  z.object({
    kind: z.literal('labour'),
    description: z.string().min(3).describe('The work, as it appears on the invoice'),
    minutes: z.number().int().min(5).max(600).describe('Planned working time'),
  }),
])

export type LineRequest = z.output<typeof lineInput>
export type PricedLines =
  | { readonly ok: true; readonly lines: readonly OrderLine[] }
  | { readonly ok: false; readonly failure: FailureResult }

/** Prices the requested lines, numbered from `firstLine`. Fails if a part is unknown or too few are in stock. */
export function priceLines(
  state: WorkshopState,
  customer: Customer,
  requests: readonly LineRequest[],
  firstLine = 1,
): PricedLines {
  const wanted = new Map<string, number>()
  const lines: OrderLine[] = []
  for (const request of requests) {
    const line = firstLine + lines.length
    if (request.kind === 'labour') {
      lines.push(labourLine(line, request.description, request.minutes, customer.membership))
      continue
    }
    const part = state.parts.get(request.partId)
    if (part === undefined) return { ok: false, failure: notFound('part', request.partId) }
    // Two lines may request the same part; together they must not exceed its stock.
    const total = (wanted.get(part.id) ?? 0) + request.quantity
    wanted.set(part.id, total)
    const missing = unavailable(part, total)
    if (missing !== undefined) return { ok: false, failure: missing }
    lines.push(partLine(line, part, request.quantity))
  }
  return { ok: true, lines }
}

export function partLine(line: number, part: BikePart, quantity: number): OrderLine {
  const { id, name, priceCents } = part
  return { line, kind: 'part', partId: id, description: name, quantity, totalCents: priceCents * quantity }
}

export function labourLine(
  line: number,
  description: string,
  minutes: number,
  membership: Customer['membership'],
): OrderLine {
  const discount = membership === 'club' ? CLUB_LABOUR_DISCOUNT : 0
  const totalCents = Math.round(minutes * LABOUR_CENTS_PER_MINUTE * (1 - discount))
  return { line, kind: 'labour', partId: null, description, quantity: minutes, totalCents }
}

export function totalOf(lines: readonly OrderLine[]): number {
  return lines.reduce((sum, line) => sum + line.totalCents, 0)
}

export function labourMinutes(lines: readonly OrderLine[]): number {
  return lines.reduce((sum, line) => sum + (line.kind === 'labour' ? line.quantity : 0), 0)
}

export function takeStock(state: WorkshopState, lines: readonly OrderLine[]): void {
  moveStock(state, lines, -1)
}

export function returnStock(state: WorkshopState, lines: readonly OrderLine[]): void {
  moveStock(state, lines, 1)
}

function moveStock(state: WorkshopState, lines: readonly OrderLine[], sign: 1 | -1): void {
  for (const { partId, quantity } of lines) {
    const part = partId === null ? undefined : state.parts.get(partId)
    if (part !== undefined) state.parts.set(part.id, { ...part, stock: part.stock + sign * quantity })
  }
}

function unavailable(part: BikePart, quantity: number): FailureResult | undefined {
  if (part.stock >= quantity) return undefined
  return failure({
    code: 'OUT_OF_STOCK',
    message: `'${part.name}' (${part.id}): ${quantity} wanted, ${part.stock} in stock`,
    suggestion: part.discontinued
      ? `It is discontinued; call part-list with group '${part.group}' to choose another.`
      : `${part.stock > 0 ? `Use ${part.stock} or fewer, or call` : 'Call'} part-receive when ${part.supplier} has delivered more.`,
    details: { partId: part.id, stock: part.stock },
  })
}
