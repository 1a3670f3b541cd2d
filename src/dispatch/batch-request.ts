// The schema of a batch request, and the plan that is made from a valid request.

import { z } from 'zod'
import { decodeStringified } from '../core/decode.ts'
import { isRecord } from '../core/is-record.ts'
import { cutLongText } from '../core/text.ts'
import { issuesOf } from '../core/validate.ts'
import type { Invocation } from './bounded-run.ts'

const MAX_ENTRIES = 100
const MAX_PARALLELISM = 16
const MAX_ISSUES_SHOWN = 10

const entryInput = z.preprocess(
  (value) => decodeStringified(value, { type: 'object' }),
  z.custom<Readonly<Record<string, unknown>>>(isRecord, 'expected an object'),
)

const entrySchema = z.strictObject({
  id: z.string().min(1).optional(),
  command: z.string().min(1),
  input: entryInput.optional(),
})

const batchRequestSchema = z.strictObject({
  commands: z.array(entrySchema).min(1).max(MAX_ENTRIES, { error: tooMany }),
  options: z
    .strictObject({
      stopOnError: z.boolean().default(false),
      timeout: z.number().positive().optional(),
      parallelism: z.int().min(1).max(MAX_PARALLELISM).default(1),
    })
    .prefault({}),
})

/** The commands of a batch, and how to run them. */
export type BatchRequest = z.input<typeof batchRequestSchema>

export interface BatchEntry {
  readonly id: string
  readonly index: number
  readonly command: string
  readonly input: Readonly<Record<string, unknown>>
}

export interface BatchPlan {
  readonly entries: readonly BatchEntry[]
  readonly stopOnError: boolean
  readonly timeoutMs: number | undefined
  readonly parallelism: number
}

/** Returns the plan, or the reason why the request is invalid. */
export function planBatch(request: unknown, invocation: Invocation, name: string): BatchPlan | string {
  const parsed = batchRequestSchema.safeParse(request)
  if (!parsed.success) return issuesText(issuesOf(parsed.error.issues, request).map(({ message }) => message))
  const { commands, options } = parsed.data
  const { stopOnError, timeout: timeoutMs, parallelism } = options
  const given = new Set(commands.map(({ id }) => id))
  const entries = commands.map(({ id, command, input = {} }, index) => ({
    // Another entry may use this index as its explicit id.
    id: id ?? (given.has(`${index}`) ? `#${index}` : `${index}`),
    index,
    command,
    input,
  }))
  return findProblem(entries, invocation, name) ?? { entries, stopOnError, timeoutMs, parallelism }
}

function findProblem(entries: readonly BatchEntry[], invocation: Invocation, name: string): string | undefined {
  const owners = new Map<string, number>()
  for (const { id, index, command } of entries) {
    const field = `commands[${index}]`
    if (invocation.isBuiltin(command)) {
      return `Field '${field}.command': '${command}' is a built-in and cannot run inside ${name}`
    }
    const owner = owners.get(id)
    if (owner !== undefined) {
      return `Field '${field}.id': '${cutLongText(id, 80)}' is already the id of commands[${owner}]`
    }
    owners.set(id, index)
  }
  return undefined
}

function issuesText(messages: readonly string[]): string {
  const more = messages.length - MAX_ISSUES_SHOWN
  return `${messages.slice(0, MAX_ISSUES_SHOWN).join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}

function tooMany({ input }: { readonly input?: unknown }): string {
  return `has ${Array.isArray(input) ? input.length : 'too many'} entries, but at most ${MAX_ENTRIES} are allowed`
}
