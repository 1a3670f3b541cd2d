// Commands for reports. They do not change records.

import { setTimeout } from 'node:timers/promises'
import { type Command, defineCommand, failure, success } from 'toolcrib'
import { z } from 'zod'
import { balanceCents, euros, paidCents } from '../billing.ts'
import { daysBetween, freeTimes } from '../calendar.ts'
import { exportSection, sectionNames } from '../export-section.ts'
import { date } from '../fields.ts'
import { orderStatuses, partGroups, paymentMethods, type WorkshopState } from '../model.ts'
import { labourMinutes, totalOf } from '../order-lines.ts'

const period = {
  from: date.describe('First day, YYYY-MM-DD'),
  to: date.describe('Last day, YYYY-MM-DD'),
}

export function reportCommands(state: WorkshopState): Command[] {
  const invoices = () => [...state.invoices.values()]
  const orders = () => [...state.orders.values()]
  const clockedIn = () => [...state.staff.values()].filter((one) => one.clockedInAt !== null).map(({ name }) => name)
  return [
    defineCommand({
      name: 'report-revenue',
      description: 'Sum up what was invoiced and what was paid in a period, by payment method.',
      tags: ['read', 'report', 'billing'],
      mutation: false,
      executionTime: 'fast',
      errors: ['EMPTY_PERIOD'],
      examples: [{ title: 'First quarter', input: { from: '2026-01-01', to: '2026-03-31' } }],
      input: z.object(period),
      output: z.object({
        invoicedCents: z.number(),
        paidCents: z.number(),
        byMethod: z.record(z.enum(paymentMethods), z.number()),
      }),
      handler({ from, to }) {
        if (from > to) return emptyPeriod(from, to)
        const within = (day: string) => day >= from && day <= to
        const invoicedCents = invoices()
          .filter(({ status, issuedOn }) => status !== 'void' && within(issuedOn))
          .reduce((sum, { totalCents }) => sum + totalCents, 0)
        const byMethod = { cash: 0, card: 0, transfer: 0 }
        for (const { method, amountCents, paidOn } of invoices().flatMap(({ payments }) => payments)) {
          if (within(paidOn)) byMethod[method] += amountCents
        }
        const paid = byMethod.cash + byMethod.card + byMethod.transfer
        return success({ invoicedCents, paidCents: paid, byMethod }, { confidence: 1 })
      },
    }),
    defineCommand({
      name: 'report-day',
      description:
        'Sum up one day: its appointments, the orders promised for it and, if it is today, who is clocked in.',
      tags: ['read', 'report', 'planning'],
      mutation: false,
      executionTime: 'fast',
      examples: [{ input: {} }],
      input: z.object({ date: date.optional().describe('YYYY-MM-DD; today if left out') }),
      handler({ date = state.today }) {
        const appointments = [...state.appointments.values()].filter((one) => one.date === date)
        return success({
          date,
          appointments: appointments.map(({ id, time, service, status }) => ({ id, time, service, status })),
          promised: orders().filter((order) => order.promisedOn === date && order.closedOn === null),
          ...(date === state.today ? { clockedIn: clockedIn() } : {}),
        })
      },
    }),
    defineCommand({
      name: 'report-open-orders',
      description: 'Count the orders by status and show which of them are late.',
      tags: ['read', 'report', 'floor'],
      mutation: false,
      executionTime: 'fast',
      examples: [{ input: {} }],
      input: z.object({}),
      handler() {
        const late = orders()
          .filter((order) => order.closedOn === null && order.promisedOn < state.today)
          .map(({ id, promisedOn }) => ({ orderId: id, daysLate: daysBetween(promisedOn, state.today) }))
        const counts = orderStatuses.map((status) => ({
          status,
          orders: orders().filter((order) => order.status === status).length,
        }))
        return success({ counts, late })
      },
    }),
    defineCommand({
      name: 'report-stock-value',
      description: 'Show what the stock cost and what it would sell for, by group of parts.',
      tags: ['read', 'report', 'inventory'],
      mutation: false,
      executionTime: 'fast',
      examples: [{ input: { groups: ['brakes', 'wheels'] } }],
      input: z.object({ groups: z.array(z.enum(partGroups)).optional().describe('Only these; all if left out') }),
      handler({ groups = [...partGroups] }) {
        const rows = groups.map((group) => {
          const parts = [...state.parts.values()].filter((part) => part.group === group)
          const costCents = parts.reduce((sum, part) => sum + part.stock * part.costCents, 0)
          const salesCents = parts.reduce((sum, part) => sum + part.stock * part.priceCents, 0)
          return { group, pieces: parts.reduce((sum, part) => sum + part.stock, 0), costCents, salesCents }
        })
        const total = rows.reduce((sum, row) => sum + row.costCents, 0)
        return success({ rows }, { reasoning: `The stock cost ${euros(total)}.` })
      },
    }),
    defineCommand({
      name: 'report-mechanics',
      description: 'Compare the mechanics: orders finished, minutes of labour and turnover.',
      tags: ['read', 'report', 'people'],
      mutation: false,
      executionTime: 'fast',
      errors: ['EMPTY_PERIOD'],
      examples: [{ input: { from: '2026-01-01', to: '2026-03-31' } }],
      input: z.object(period),
      handler({ from, to }) {
        if (from > to) return emptyPeriod(from, to)
        const finished = orders().filter(
          ({ status, closedOn }) => status !== 'cancelled' && closedOn !== null && closedOn >= from && closedOn <= to,
        )
        const rows = [...state.staff.values()]
          .filter(({ role }) => role === 'mechanic' || role === 'apprentice')
          .map(({ id, name }) => {
            const own = finished.filter(({ mechanicId }) => mechanicId === id)
            const lines = own.flatMap((order) => order.lines)
            return { name, orders: own.length, minutes: labourMinutes(lines), turnoverCents: totalOf(lines) }
          })
        return success({ rows })
      },
    }),
    defineCommand({
      name: 'report-top-customers',
      description: 'Rank the customers by what they have paid.',
      tags: ['read', 'report', 'billing'],
      mutation: false,
      executionTime: 'fast',
      examples: [{ input: { limit: 3 } }],
      input: z.object({ limit: z.number().int().min(1).max(50).default(5).describe('How many to show') }),
      handler({ limit }) {
        const rows = [...state.customers.values()].map(({ id, name }) => {
          const own = invoices().filter(({ customerId }) => customerId === id)
          return { customerId: id, name, paidCents: own.reduce((sum, invoice) => sum + paidCents(invoice), 0) }
        })
        return success({ rows: rows.sort((a, b) => b.paidCents - a.paidCents).slice(0, limit) })
      },
    }),
    defineCommand({
      name: 'report-receivables',
      description: 'Show what customers owe, sorted into not yet due, up to 30 days late and later.',
      tags: ['read', 'report', 'billing'],
      mutation: false,
      executionTime: 'fast',
      contexts: ['billing'],
      examples: [{ input: {} }],
      input: z.object({}),
      handler() {
        const sums = { notDueCents: 0, upTo30DaysCents: 0, laterCents: 0 }
        for (const invoice of invoices()) {
          const daysLate = daysBetween(invoice.dueOn, state.today)
          const late = daysLate <= 30 ? 'upTo30DaysCents' : 'laterCents'
          sums[daysLate <= 0 ? 'notDueCents' : late] += balanceCents(invoice)
        }
        return success(sums, { reasoning: `As of ${state.today}.`, confidence: 1 })
      },
    }),
    defineCommand({
      name: 'report-capacity',
      description: 'Show at how many times of a day an appointment of half an hour can still begin.',
      tags: ['read', 'report', 'planning'],
      mutation: false,
      executionTime: 'fast',
      examples: [{ input: { date: '2026-03-03' } }],
      input: z.object({ date: date.describe('YYYY-MM-DD') }),
      handler({ date }) {
        const free = freeTimes(state, date, 30)
        return success({ date, freeTimes: free.length, first: free[0] ?? null })
      },
    }),
    defineCommand({
      name: 'report-export',
      description:
        'Export whole sections of the books as CSV or JSON. Reports progress after every section and can be cancelled.',
      tags: ['read', 'report', 'admin'],
      mutation: false,
      executionTime: 'long-running',
      errors: ['EXPORT_CANCELLED'],
      examples: [
        { title: 'For the accountant', input: { sections: ['invoices', 'orders'], format: 'csv', paceMs: 0 } },
      ],
      input: z.object({
        sections: z
          .array(z.enum(sectionNames))
          .min(1)
          .default([...sectionNames])
          .describe('What to export'),
        format: z.enum(['csv', 'json']).default('csv').describe('Format of the file'),
        paceMs: z.number().int().min(0).max(5_000).default(200).describe('Pause after each section, in milliseconds'),
      }),
      async handler({ sections, format, paceMs }, context) {
        const { signal } = context
        const done: { section: string; rows: number; text: string }[] = []
        for (const section of sections) {
          if (signal.aborted) return cancelled(done.length, sections.length)
          done.push({ section, ...exportSection(state, section, format) })
          context.progress(done.length, sections.length, `Exported ${section}`)
          // An abort ends the pause early; the next check of the signal then ends the export.
          await setTimeout(paceMs, undefined, { signal }).catch(() => undefined)
        }
        if (signal.aborted) return cancelled(done.length, sections.length)
        const mimeType = format === 'csv' ? 'text/csv' : 'application/json'
        const uriOf = (section: string) => `workshop://exports/${section}.${format}`
        const files = done.map(({ section, rows }) => ({ section, rows, uri: uriOf(section) }))
        const content = done.map(({ section, text }) => ({
          type: 'resource' as const,
          resource: { uri: uriOf(section), mimeType, text },
        }))
        return success({ format, files }, { content })
      },
    }),
  ]
}

function emptyPeriod(from: string, to: string) {
  return failure({
    code: 'EMPTY_PERIOD',
    message: `${from} is after ${to}`,
    suggestion: `Swap them: from '${to}', to '${from}'.`,
  })
}

function cancelled(done: number, total: number) {
  return failure({
    code: 'EXPORT_CANCELLED',
    message: `The export was cancelled after ${done} of ${total} sections`,
    suggestion: 'Call report-export again, with fewer sections if it took too long.',
    retryable: true,
  })
}
