// Commands for parts: stock, prices and reordering.

import { type Command, defineCommand, success } from 'toolcrib'
import { z } from 'zod'
import { destroys } from '../../shared/effects.ts'
import { notFound, wrongStatus } from '../failures.ts'
import { cents, contains, given, pageOf, paging, partId } from '../fields.ts'
import { type BikePart, partGroups, type WorkshopState } from '../model.ts'
import { nextId } from '../state.ts'

const details = {
  name: z.string().min(2).max(80).describe('As printed on the invoice'),
  group: z.enum(partGroups).describe('Shelf it belongs to'),
  priceCents: cents.describe('Sales price of one piece in euro cents'),
  costCents: cents.describe('Purchase price of one piece in euro cents'),
  reorderAt: z.number().int().min(0).describe('Order more when stock falls below this'),
  supplier: z.string().min(1).describe('Who delivers it'),
}
const pieces = z.number().int().min(0).max(10_000)

export function partCommands(state: WorkshopState): Command[] {
  return [
    defineCommand({
      name: 'part-create',
      description: 'Add a new part to the range, with no stock or with an opening stock.',
      tags: ['crud', 'write', 'inventory'],
      mutation: true,
      executionTime: 'instant',
      examples: [
        {
          input: {
            name: 'Bell, brass',
            group: 'accessories',
            priceCents: 1_490,
            costCents: 600,
            supplier: 'Nordic Velo',
            stock: 10,
          },
        },
      ],
      input: z.object({
        ...details,
        reorderAt: details.reorderAt.default(5),
        stock: pieces.default(0).describe('Opening stock'),
      }),
      handler(input) {
        const part: BikePart = { id: nextId(state, 'prt'), ...input, discontinued: false }
        state.parts.set(part.id, part)
        return success(part)
      },
    }),
    defineCommand({
      name: 'part-get',
      description: 'Show one part with its stock and prices.',
      tags: ['crud', 'read', 'inventory'],
      mutation: false,
      executionTime: 'instant',
      errors: ['PART_NOT_FOUND'],
      examples: [{ input: { partId: 'prt-3' } }],
      input: z.object({ partId }),
      handler({ partId }) {
        const part = state.parts.get(partId)
        return part === undefined ? notFound('part', partId) : success(part)
      },
    }),
    defineCommand({
      name: 'part-list',
      description:
        'List parts by group, supplier or a text in the name. Discontinued parts are left out unless asked for.',
      tags: ['crud', 'read', 'inventory'],
      mutation: false,
      executionTime: 'instant',
      examples: [{ title: 'Everything for brakes', input: { group: 'brakes' } }],
      input: z.object({
        group: z.enum(partGroups).optional().describe('Only this group'),
        supplier: z.string().optional().describe('Only this supplier'),
        text: z.string().optional().describe('Any part of the name'),
        includeDiscontinued: z.boolean().default(false).describe('Also parts that are no longer reordered'),
        ...paging,
      }),
      handler({ group, supplier, text = '', includeDiscontinued, ...page }) {
        const wanted = [...state.parts.values()].filter(
          (part) =>
            (group ?? part.group) === part.group &&
            (supplier ?? part.supplier) === part.supplier &&
            contains(text, part.name) &&
            (includeDiscontinued || !part.discontinued),
        )
        return success(pageOf(wanted, page))
      },
    }),
    defineCommand({
      name: 'part-update',
      description:
        "Change a part's name, prices, supplier or reorder level. Stock changes through part-receive and part-count.",
      tags: ['crud', 'write', 'inventory'],
      mutation: true,
      executionTime: 'instant',
      errors: ['PART_NOT_FOUND'],
      examples: [{ title: 'New price', input: { partId: 'prt-5', priceCents: 950 } }],
      input: z.object({ partId, ...z.object(details).partial().shape }),
      handler({ partId, ...changes }) {
        const part = state.parts.get(partId)
        if (part === undefined) return notFound('part', partId)
        const updated = { ...part, ...given(changes) }
        state.parts.set(partId, updated)
        const warnings =
          updated.priceCents < updated.costCents
            ? [{ code: 'SOLD_AT_A_LOSS', message: 'The sales price is below the purchase price.' }]
            : undefined
        return success(updated, warnings === undefined ? {} : { warnings })
      },
    }),
    defineCommand({
      name: 'part-receive',
      description: 'Book a delivery into stock. One call takes all lines of the delivery note, or none.',
      tags: ['write', 'inventory'],
      mutation: true,
      executionTime: 'fast',
      errors: ['PART_NOT_FOUND', 'PART_STATUS'],
      requires: ['part-low-stock'],
      examples: [
        {
          title: 'Two lines of one delivery',
          input: {
            deliveryNote: 'LJ-20260302',
            lines: [
              { partId: 'prt-7', quantity: 10, costCents: 1_390 },
              { partId: 'prt-4', quantity: 4 },
            ],
          },
        },
      ],
      input: z.object({
        deliveryNote: z.string().min(1).describe("The supplier's number"),
        lines: z
          .array(
            z.object({
              partId,
              quantity: pieces.min(1).describe('Pieces delivered'),
              costCents: cents.optional().describe('New purchase price of one piece, if it changed'),
            }),
          )
          .min(1)
          .max(100)
          .describe('What was delivered'),
      }),
      handler({ deliveryNote, lines }) {
        for (const { partId } of lines) {
          const part = state.parts.get(partId)
          if (part === undefined) return notFound('part', partId)
          if (part.discontinued) return discontinued(part)
        }
        const parts = lines.flatMap(({ partId, quantity, costCents }) => {
          // Reads the part again for every line, because a delivery may contain the same part twice.
          const part = state.parts.get(partId)
          if (part === undefined) return []
          const updated = { ...part, stock: part.stock + quantity, costCents: costCents ?? part.costCents }
          state.parts.set(partId, updated)
          return [updated]
        })
        return success({ deliveryNote, parts })
      },
    }),
    defineCommand({
      name: 'part-count',
      description: 'Set the stock of a part to what was counted on the shelf, and give the difference.',
      tags: ['write', 'inventory', 'admin'],
      mutation: true,
      executionTime: 'instant',
      errors: ['PART_NOT_FOUND'],
      examples: [{ input: { partId: 'prt-5', counted: 57 } }],
      input: z.object({ partId, counted: pieces.describe('Pieces found on the shelf') }),
      handler({ partId, counted }) {
        const part = state.parts.get(partId)
        if (part === undefined) return notFound('part', partId)
        state.parts.set(partId, { ...part, stock: counted })
        const difference = counted - part.stock
        return success(
          { partId, expected: part.stock, counted, difference, valueCents: difference * part.costCents },
          { reasoning: difference === 0 ? 'The books were right.' : `The books were off by ${difference}.` },
        )
      },
    }),
    defineCommand({
      name: 'part-low-stock',
      description: 'List parts below their reorder level, with how many to order from whom.',
      tags: ['read', 'inventory'],
      mutation: false,
      executionTime: 'fast',
      examples: [{ input: {} }],
      input: z.object({
        supplier: z.string().optional().describe('Only this supplier'),
        coverFactor: z.number().min(1).max(10).default(2).describe('Order up to this many times the reorder level'),
      }),
      output: z.object({
        parts: z.array(
          z.object({
            partId: z.string(),
            name: z.string(),
            supplier: z.string(),
            stock: z.number(),
            toOrder: z.number(),
            costCents: z.number(),
          }),
        ),
      }),
      handler({ supplier, coverFactor }) {
        const low = [...state.parts.values()].filter(
          (part) => !part.discontinued && part.stock < part.reorderAt && (supplier ?? part.supplier) === part.supplier,
        )
        const parts = low.map(({ id, name, supplier, stock, reorderAt, costCents }) => {
          const toOrder = Math.ceil(reorderAt * coverFactor) - stock
          return { partId: id, name, supplier, stock, toOrder, costCents: toOrder * costCents }
        })
        return success({ parts }, { reasoning: `${parts.length} of ${state.parts.size} parts run low.` })
      },
    }),
    defineCommand({
      name: 'part-discontinue',
      description: 'Take a part out of the range. What is left of it can still be used on orders.',
      tags: ['write', 'inventory', 'admin'],
      ...destroys('Take this part out of the range? It can no longer be reordered.'),
      executionTime: 'instant',
      errors: ['PART_NOT_FOUND', 'PART_STATUS'],
      requires: ['part-get'],
      examples: [{ input: { partId: 'prt-10' } }],
      input: z.object({ partId }),
      handler({ partId }) {
        const part = state.parts.get(partId)
        if (part === undefined) return notFound('part', partId)
        if (part.discontinued) return discontinued(part)
        const updated = { ...part, discontinued: true }
        state.parts.set(partId, updated)
        return success(updated, { reasoning: `Pieces left: ${part.stock}.` })
      },
    }),
  ]
}

function discontinued({ id, group }: BikePart) {
  return wrongStatus('part', id, 'discontinued', `Call part-list with group '${group}' to choose another.`)
}
