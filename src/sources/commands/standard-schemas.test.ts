import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import { ToolcribError } from '../../core/errors.ts'
import { createSchemaValidator } from '../../core/json-schema.ts'
import { success } from '../../core/result.ts'
import type { Validation } from '../../core/tool.ts'
import type { InputSchema, StandardSchema } from '../../core/validate.ts'
import { createCommandSet, createCommandSource } from './command-set.ts'
import { type Command, defineCommand } from './define.ts'

interface Order {
  readonly item: string
  readonly count: number
  readonly tags?: readonly string[]
  readonly to?: { readonly city: string }
}

/** The same input in four libraries. */
const LIBRARIES: Readonly<Record<string, InputSchema<Order>>> = {
  zod: z.object({
    item: z.string().min(1),
    count: z.int().min(1).max(9),
    tags: z.array(z.string()).exactOptional(),
    to: z.object({ city: z.string() }).exactOptional(),
  }),
  'zod/mini': mini.object({
    item: mini.string().check(mini.minLength(1)),
    count: mini.int().check(mini.minimum(1), mini.maximum(9)),
    tags: mini.exactOptional(mini.array(mini.string())),
    to: mini.exactOptional(mini.object({ city: mini.string() })),
  }),
  valibot: toStandardJsonSchema(
    v.object({
      item: v.pipe(v.string(), v.minLength(1)),
      count: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(9)),
      tags: v.exactOptional(v.array(v.string())),
      to: v.exactOptional(v.object({ city: v.string() })),
    }),
  ),
  arktype: type({
    item: 'string >= 1',
    count: '1 <= number.integer <= 9',
    'tags?': 'string[]',
    'to?': { city: 'string' },
  }),
}
const libraries = Object.keys(LIBRARIES)

const fields = { name: 'order-add', description: 'Add an order.' } as const

function commandWith(library: string): Command {
  return defineCommand({ ...fields, input: LIBRARIES[library]!, handler: (order) => success(order) })
}

/** Validates as the dispatcher does. */
async function check(command: Command, input: unknown): Promise<Validation> {
  const source = createCommandSource({ id: 'commands', commands: createCommandSet([command]) })
  const [entry] = await source.list(new AbortController().signal)
  return entry!.validate(input)
}

function refusalOf(options: object): string {
  try {
    defineCommand({ ...fields, handler: () => success(1), ...options } as never) // a program without types can pass it
    return 'defined'
  } catch (error) {
    if (!(error instanceof ToolcribError)) throw error
    expect(error.code).toBe('INVALID_COMMAND')
    return error.message
  }
}

describe.each(libraries)('an input schema of %s', (library) => {
  it('lists an input schema as JSON Schema without a dialect', () => {
    const { inputSchema } = commandWith(library)
    expect(Object.keys(inputSchema)).not.toContain('$schema')
    expect(inputSchema).toMatchObject({
      type: 'object',
      properties: {
        item: { type: 'string', minLength: 1 },
        count: { type: 'integer', minimum: 1, maximum: 9 },
        tags: { type: 'array', items: { type: 'string' } },
        to: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    })
    expect(new Set(inputSchema.required as string[])).toEqual(new Set(['item', 'count'])) // another value fails this comparison
  })

  it('accepts exactly the inputs that its listed JSON Schema accepts', async () => {
    const command = commandWith(library)
    const validator = createSchemaValidator()
    const anything = fc.oneof(fc.string(), fc.integer({ min: -1, max: 11 }), fc.double(), fc.constant(null))
    const fields = fc.record(
      {
        item: fc.oneof(fc.string(), anything),
        count: fc.oneof(fc.integer({ min: -1, max: 11 }), anything),
        tags: fc.oneof(fc.array(fc.string()), fc.array(anything), anything),
        to: fc.oneof(fc.record({ city: fc.string() }), fc.record({ city: anything }, { requiredKeys: [] }), anything),
        other: anything,
      },
      { requiredKeys: [] },
    )
    const input = fc.oneof({ weight: 9, arbitrary: fields }, fc.array(anything), anything)
    let accepted = 0
    await fc.assert(
      fc.asyncProperty(input, async (generated) => {
        // As a client sends it: NaN and Infinity do not survive JSON.
        const sent: unknown = JSON.parse(JSON.stringify(generated))
        const [own, listed] = await Promise.all([check(command, sent), validator.validate(command.inputSchema, sent)])
        if (own.ok) accepted++
        expect(own.ok).toBe(listed.ok)
      }),
      { numRuns: 500 },
    )
    expect(accepted).toBeGreaterThan(0)
  })

  it('reports each fault with its path and a message that names the field', async () => {
    const command = commandWith(library)
    const result = await check(command, { count: 12, tags: ['a', 7], to: {} })
    if (result.ok) throw new Error('It was accepted.')
    expect(result.issues.map(({ path }) => path).toSorted()).toEqual(['count', 'item', 'tags[1]', 'to.city'])
    const messages = new Map(result.issues.map(({ path, message }) => [path, message]))
    expect(messages.get('item')).toBe("Required field 'item' is missing")
    expect(messages.get('to.city')).toBe("Required field 'to.city' is missing")
    expect(messages.get('count')).toMatch(/^Field 'count': .*9/)
    expect(messages.get('tags[1]')).toMatch(/^Field 'tags\[1\]': .*string/)
    expect(messages.get('tags[1]')).not.toMatch(/tags.*tags/)
  })

  it('reports a fault of the whole input with an empty path', async () => {
    expect(await check(commandWith(library), [])).toMatchObject({
      ok: false,
      issues: [{ path: '', message: expect.stringMatching(/^Input: /) }],
    })
  })

  it('checks the examples of the command', () => {
    const input = LIBRARIES[library]
    expect(refusalOf({ input, examples: [{ input: { item: 'tea', count: 2 } }] })).toBe('defined')
    expect(refusalOf({ input, examples: [{ input: { count: 2 } }] })).toContain(
      "example 1 does not match the input schema: Required field 'item' is missing",
    )
    expect(refusalOf({ input, examples: [{ input: [] }] })).toContain('expected object, received array')
  })

  it('checks the data of a result with the output schema', async () => {
    const output: StandardSchema = LIBRARIES[library]!
    const command = defineCommand({ ...fields, input: z.object({}), output, handler: () => success({}) })
    const source = createCommandSource({ id: 'commands', commands: createCommandSet([command]) })
    const [entry] = await source.list(new AbortController().signal)
    expect(await entry!.validateOutput!({ item: 'tea', count: 1 })).toMatchObject({ ok: true })
    expect(await entry!.validateOutput!({ item: 'tea', count: 10 })).toMatchObject({
      ok: false,
      issues: [{ path: 'count' }],
    })
  })
})

/** The types that a command keeps for its callers. */
type Parts<C> = C extends Command<infer Name, infer Input, infer Data> ? [Name, Input, Data] : never

describe('the types of the handler and of the command', () => {
  it('infers the types of a command from a schema of valibot', async () => {
    const command = defineCommand({
      ...fields,
      input: toStandardJsonSchema(v.object({ limit: v.optional(v.number(), 5) })),
      handler: (input) => {
        expectTypeOf(input).toEqualTypeOf<{ limit: number }>()
        return success(input.limit)
      },
    })
    expectTypeOf<Parts<typeof command>>().toEqualTypeOf<['order-add', { limit?: number | undefined }, number]>()
    expect(await check(command, {})).toEqual({ ok: true, value: { limit: 5 } })
  })

  it('infers the types of a command from a schema of arktype', async () => {
    const command = defineCommand({
      ...fields,
      input: type({ limit: 'number = 5' }),
      handler: (input) => {
        expectTypeOf(input).toEqualTypeOf<{ limit: number }>()
        return success(input.limit)
      },
    })
    expectTypeOf<Parts<typeof command>>().toEqualTypeOf<['order-add', { limit?: number }, number]>()
    expect(await check(command, {})).toEqual({ ok: true, value: { limit: 5 } })
  })

  it('infers the types of a command from a schema of zod, and from all results of the handler', () => {
    const command = defineCommand({
      ...fields,
      input: z.object({ limit: z.int().default(5) }),
      handler: async ({ limit }) => (limit > 5 ? success({ limit }) : success({ reason: 'too few' as const })),
    })
    expectTypeOf<Parts<typeof command>>().toEqualTypeOf<
      ['order-add', { limit?: number | undefined }, { limit: number } | { reason: 'too few' }]
    >()
    expect(command.name).toBe('order-add')
  })

  it('the types accept only a handler that returns a result with data that the output schema allows', () => {
    const options = { ...fields, input: z.object({}), output: z.object({ n: z.number() }) }
    // @ts-expect-error: `n` is a string, and the schema requires a number
    expect(defineCommand({ ...options, handler: () => success({ n: 'one' }) }).name).toBe('order-add')
    // @ts-expect-error: the handler returns data, and not a result
    expect(defineCommand({ ...options, handler: () => ({ n: 1 }) }).name).toBe('order-add')
  })
})

describe('a schema that cannot be described to clients', () => {
  it('refuses a schema that offers no JSON Schema, with the vendor and the next step', () => {
    const input = v.object({ item: v.string() })
    // @ts-expect-error: a schema of valibot alone has no JSON Schema
    expect(() => defineCommand({ ...fields, input, handler: () => success(1) })).toThrow(ToolcribError)
    expect(refusalOf({ input })).toBe(
      "Command 'order-add' cannot be defined: its input schema, of valibot, offers no JSON Schema. " +
        'Give input: toStandardJsonSchema(schema), with toStandardJsonSchema of @valibot/to-json-schema.',
    )
    const other = { '~standard': { version: 1, vendor: 'acme', validate: (value: unknown) => ({ value }) } }
    expect(refusalOf({ input: other })).toBe(
      "Command 'order-add' cannot be defined: its input schema, of acme, offers no JSON Schema. " +
        'Use a version of acme with Standard JSON Schema (`~standard.jsonSchema`), or a schema of zod 4 or arktype.',
    )
  })

  it.each([
    ['a date of valibot', toStandardJsonSchema(v.object({ on: v.date() })), 'valibot'],
    ['a date of arktype', type({ on: 'Date' }), 'arktype'],
    ['a bigint of arktype', type({ on: 'bigint' }), 'arktype'],
  ])('refuses a schema that contains %s', (_, input, vendor) => {
    const refusal = refusalOf({ input })
    expect(refusal).toContain("Command 'order-add' cannot be defined: its input has no JSON Schema: ")
    expect(refusal).toContain(`Correct the part of the schema that ${vendor} names.`)
    expect(refusal).toMatch(/date|bigint/i)
  })

  it('refuses a schema that does not describe an object', () => {
    expect(refusalOf({ input: type('string') })).toContain('its input is not an object')
    expect(refusalOf({ input: toStandardJsonSchema(v.array(v.string())) })).toContain('its input is not an object')
  })

  it('accepts a schema that is a union of objects', () => {
    const input = type({ kind: "'a'", n: 'number' }).or({ kind: "'b'", text: 'string' })
    expect(defineCommand({ ...fields, input, handler: (given) => success(given) }).inputSchema.type).toBe('object')
  })
})

describe('an asynchronous schema', () => {
  const asyncSchema = (works: boolean): InputSchema => ({
    '~standard': {
      version: 1,
      vendor: 'acme',
      validate: async (value) => {
        if (!works) throw new Error('The database is gone.')
        return { value }
      },
      jsonSchema: { input: () => ({ type: 'object' }) },
    },
  })

  it('a call waits for an asynchronous schema, and its examples are accepted unchecked', async () => {
    expect(refusalOf({ input: asyncSchema(true), examples: [{ input: { id: 7 } }] })).toBe('defined')
    const command = defineCommand({ ...fields, input: asyncSchema(true), handler: (given) => success(given) })
    expect(await check(command, { id: 7 })).toEqual({ ok: true, value: { id: 7 } })
  })

  it('a schema that rejects while an example is checked does not end the process', async () => {
    expect(refusalOf({ input: asyncSchema(false), examples: [{ input: {} }] })).toBe('defined')
    await expect(
      check(defineCommand({ ...fields, input: asyncSchema(false), handler: (given) => success(given) }), {}),
    ).rejects.toThrow('The database is gone.')
  })
})

describe('an issue about a field that is not there', () => {
  it('keeps the message of the author for a missing field that is optional', async () => {
    const input = toStandardJsonSchema(
      v.pipe(
        v.object({ from: v.string(), until: v.optional(v.string()) }),
        v.forward(
          v.partialCheck(
            [['from'], ['until']],
            ({ from, until }) => from !== 'today' || until !== undefined,
            'say until when',
          ),
          ['until'],
        ),
      ),
    )
    const command = defineCommand({ ...fields, input, handler: (given) => success(given) })
    expect(await check(command, { from: 'today' })).toEqual({
      ok: false,
      issues: [{ path: 'until', message: "Field 'until': say until when", text: 'say until when' }],
    })
    expect(await check(command, { from: 'tomorrow' })).toMatchObject({ ok: true })
  })
})

it('refuses a hostile input that nests too deeply, and does not throw', async () => {
  const Folder = type.module({ folder: { 'inner?': 'folder' } }).folder
  const input = Folder as unknown as InputSchema // its own type is recursive
  const command = defineCommand({ ...fields, input, handler: (given) => success(given) })
  let deep: Record<string, unknown> = {}
  for (let level = 0; level < 100_000; level++) deep = { inner: deep }
  expect(await check(command, deep)).toMatchObject({ ok: false, issues: [{ message: 'Input: nested too deeply' }] })
})
