import fc from 'fast-check'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import { z as zod3 } from 'zod/v3'
import type { CommandContext } from '../../core/call.ts'
import { ToolcribError } from '../../core/errors.ts'
import { failure, success } from '../../core/result.ts'
import { createCommandSet, createCommandSource } from './command-set.ts'
import { type Command, checkNotReserved, defineBuiltin, defineCommand } from './define.ts'

const handler = () => success(null)
const good = { name: 'order-get', description: 'Reads an order', input: z.object({ id: z.string() }), handler }
// The handlers here read no field of their context.
const noContext = {} as CommandContext

/** The error text of a refused definition. The options are `unknown`, because JavaScript callers can pass anything. */
function refusalOf(options: unknown, define: typeof defineCommand = defineCommand): string {
  try {
    define(options as typeof good)
  } catch (error) {
    if (error instanceof ToolcribError && error.code === 'INVALID_COMMAND') return error.message
    throw error
  }
  return 'defined'
}

describe('defineCommand', () => {
  it('keeps the fields that the author set and adds the input schema', () => {
    const command = defineCommand({
      ...good,
      title: 'Order',
      category: 'sales',
      tags: ['read'],
      version: '1.2.0',
      mutation: false,
      requires: ['login'],
      contexts: ['billing'],
      errors: ['NOT_FOUND'],
      expose: { mcp: true },
      output: z.object({ total: z.number() }),
      handler: () => success({ total: 1 }),
    })
    expect(command).toMatchObject({
      name: 'order-get',
      description: 'Reads an order',
      title: 'Order',
      category: 'sales',
      tags: ['read'],
      version: '1.2.0',
      mutation: false,
      requires: ['login'],
      contexts: ['billing'],
      errors: ['NOT_FOUND'],
      expose: { mcp: true },
      inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
    })
    expect(command.output).toBeDefined()
  })

  it('adds no other fields than expose and the input schema', () => {
    expect(Object.keys(defineCommand(good)).toSorted()).toEqual(
      ['description', 'expose', 'handler', 'input', 'inputSchema', 'name'].toSorted(),
    )
    expect(defineCommand(good).expose).toEqual({})
  })

  it('gives the handler its input and its context', async () => {
    const command = defineCommand({ ...good, handler: ({ id }, { traceId }) => success({ id, traceId }) })
    const context = { ...noContext, traceId: 't1' }
    expect(await command.handler({ id: '7' }, context)).toEqual(success({ id: '7', traceId: 't1' }))
  })

  it('accepts synchronous and asynchronous handlers, and rejects if the handler throws', async () => {
    const now = defineCommand({ ...good, handler: () => failure({ code: 'GONE', message: 'gone' }) })
    const later = defineCommand({ ...good, handler: async () => success(1) })
    const broken = defineCommand({
      ...good,
      handler: () => {
        throw new Error('boom')
      },
    })
    expect(await now.handler({}, noContext)).toMatchObject({ success: false })
    expect(await later.handler({}, noContext)).toEqual(success(1))
    await expect(broken.handler({}, noContext)).rejects.toThrow('boom')
  })

  it('infers the types of the handler from the schemas, and returns commands that fit into one list', () => {
    const commands: Command[] = [
      defineCommand({
        ...good,
        input: z.object({ limit: z.int().default(5) }),
        output: z.object({ n: z.number() }),
        examples: [{ input: {} }],
        handler: (input) => {
          expectTypeOf(input).toEqualTypeOf<{ limit: number }>()
          return success({ n: input.limit })
        },
      }),
      defineCommand(good),
    ]
    expect(commands).toHaveLength(2)
  })
})

describe('the name', () => {
  it.each([
    ...['ping', 'order-get', 'order-line-item-get', 's3-put', 'v2', 'afd', '2fa'],
    ...['create_issue', 'tana_search', 'orderGet', 'issues.create', 'Order-get', '-order', '__proto__'],
  ])("accepts the name '%s'", (name) => {
    expect(defineCommand({ ...good, name }).name).toBe(name)
  })

  it.each(['', 'order get', 'order/get', 'order:get', 'order-get\n', 'órder', 'оrder-get', '💥'])(
    'refuses the name %j, which MCP does not allow',
    (name) => {
      expect(refusalOf({ ...good, name })).toBe(
        `Command '${name}' cannot be defined: its name is not one that MCP allows. Use 1 to 128 letters, digits, '_', '-' or '.', like 'order-create'.`,
      )
    },
  )

  it.each([[undefined], [null], [7], [{}], [Symbol('order')]])('refuses the name %o, which is not a text', (name) => {
    expect(refusalOf({ ...good, name })).toMatch(/its name is not one that MCP allows/)
  })

  it('accepts exactly the names with 1 to 128 of the characters that MCP allows', () => {
    const allowed = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-'
    const isAllowed = (name: string) => name !== '' && name.length <= 128 && [...name].every((c) => allowed.includes(c))
    const unit = fc.constantFrom('a', 'Z', '0', '-', '_', '.', ' ', 'é', ':')
    const name = fc.oneof(
      fc.string({ unit, maxLength: 8 }),
      fc.integer({ min: 126, max: 130 }).map((n) => 'a'.repeat(n)),
    )
    fc.assert(
      fc.property(name, (text) => {
        fc.pre(!text.startsWith('afd-'))
        return (refusalOf({ ...good, name: text }) === 'defined') === isAllowed(text)
      }),
    )
  })

  it('cuts a very long name in the error', () => {
    expect(refusalOf({ ...good, name: 'X'.repeat(1_000_000) }).length).toBeLessThan(300)
  })

  it('refuses names that start with afd-, which is reserved for the server', () => {
    expect(refusalOf({ ...good, name: 'afd-discover' })).toBe(
      "Command 'afd-discover' cannot be defined: names that start with 'afd-' belong to the server's own tools. Choose a first word other than 'afd'.",
    )
  })
})

describe('checkNotReserved', () => {
  it('refuses names with the prefix that a server chose', () => {
    expect(() => checkNotReserved('shop-help', 'shop')).toThrow(/names that start with 'shop-' belong to the server/)
    expect(() => checkNotReserved('shopping-list', 'shop')).not.toThrow()
  })
})

describe('the description', () => {
  it.each([[undefined], [''], [' \n '], [42]])('refuses the description %j', (description) => {
    expect(refusalOf({ ...good, description })).toBe(
      "Command 'order-get' cannot be defined: it has no description. Describe in one sentence what it does; agents choose commands by it.",
    )
  })
})

describe('the input', () => {
  it.each([[undefined], [null], [{}], [{ type: 'object' }], ['string']])(
    'refuses %j as input, because it is not a schema',
    (input) => {
      expect(refusalOf({ ...good, input })).toBe(
        "Command 'order-get' cannot be defined: `input` is not a schema. Give input: z.object({ … }) with zod 4, or another Standard Schema.",
      )
    },
  )

  it('refuses a schema of zod 3 with the reason', () => {
    expect(refusalOf({ ...good, input: zod3.object({ id: zod3.string() }) })).toBe(
      "Command 'order-get' cannot be defined: its input schema, of zod, offers no JSON Schema. Use zod 4.",
    )
  })

  it.each([
    ['a string', z.string()],
    ['an array', z.array(z.object({}))],
    ['an object or a string', z.union([z.object({}), z.string()])],
    ['an object or null', z.object({}).nullable()],
    ['anything', z.any()],
  ])('refuses an input that is %s', (_, input) => {
    expect(refusalOf({ ...good, input })).toBe(
      "Command 'order-get' cannot be defined: its input is not an object. Wrap it: input: z.object({ … }).",
    )
  })

  it.each([
    ['an object without fields', z.object({})],
    ['a union of objects', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
    ['a record', z.record(z.string(), z.number())],
    ['a transformed object', z.object({ a: z.string() }).transform(({ a }) => a)],
    ['an object with dates made from texts', z.object({ on: z.coerce.date() })],
    ['a schema of zod/mini', mini.object({ on: mini.string() })],
    ['an object with an id', z.object({ a: z.string() }).meta({ id: 'define-test-input' })],
  ])('accepts an input that is %s', (_, input) => {
    // The table mixes types, and only `input` is used.
    expect(defineCommand({ ...good, input: input as z.ZodType }).inputSchema.type).toBe('object')
  })

  it('infers the types of the handler from a schema of zod/mini, and validates with it', async () => {
    const command = defineCommand({
      ...good,
      input: mini.object({ limit: mini._default(mini.number(), 5) }),
      handler: (input) => {
        expectTypeOf(input).toEqualTypeOf<{ limit: number }>()
        return success(input)
      },
    })
    expect(command.inputSchema).toMatchObject({ properties: { limit: { type: 'number', default: 5 } } })
    const source = createCommandSource({ id: 'commands', commands: createCommandSet([command]) })
    const [entry] = await source.list(new AbortController().signal)
    expect(await entry?.validate({})).toEqual({ ok: true, value: { limit: 5 } })
    expect(await entry?.validate({ limit: 'many' })).toMatchObject({ ok: false, issues: [{ path: 'limit' }] })
  })

  it.each([
    ['bigint', z.bigint(), 'Use z.coerce.bigint()'],
    ['set', z.set(z.string()), 'Use z.array'],
    ['map', z.map(z.string(), z.string()), 'Use z.record'],
    ['date', z.date(), 'Use z.iso.datetime()'],
  ])('refuses an input with a %s, and names a replacement', (type, field, todo) => {
    expect(refusalOf({ ...good, input: z.object({ order: z.object({ field }) }) })).toContain(
      `Command 'order-get' cannot be defined: \`order.field\` of its input is a ${type}, which JSON cannot represent. ${todo}`,
    )
  })

  it('refuses an input that zod cannot describe, with the reason', () => {
    const broken = z.object({
      get field(): z.ZodType {
        return undefined as never // a program without types can return this
      },
    })
    expect(refusalOf({ ...good, input: broken })).toContain('its input has no JSON Schema')
  })
})

describe('the handler', () => {
  it.each([[undefined], [null], ['run']])('refuses %j as a handler', (wrong) => {
    expect(refusalOf({ ...good, handler: wrong })).toBe(
      "Command 'order-get' cannot be defined: it has no handler. Give handler(input, context).",
    )
  })
})

describe('the examples', () => {
  const input = z.object({ email: z.email(), limit: z.int().default(5) })

  it('keeps examples as written, without defaults', () => {
    const examples = [{ title: 'One', input: { email: 'a@b.co' }, output: { ok: true } }]
    expect(defineCommand({ ...good, input, examples }).examples).toEqual(examples)
  })

  it('refuses an invalid example with its number and the problem', () => {
    expect(refusalOf({ ...good, input, examples: [{ input: { email: 'a@b.co' } }, { input: {} }] })).toBe(
      "Command 'order-get' cannot be defined: example 2 does not match the input schema: Required field 'email' is missing. Correct the example or the schema.",
    )
    expect(refusalOf({ ...good, input, examples: [{ input: { email: 'a@b.co', limit: '5' } }] })).toMatch(
      /example 1 does not match the input schema: Field 'limit': expected (number|int), received string/,
    )
  })

  it('refuses an example that is not JSON, and one for which the schema throws', () => {
    const input = z.object({ id: z.coerce.bigint() })
    expect(refusalOf({ ...good, input, examples: [{ input: { id: 1n } }] })).toContain('example 1 cannot be used: ')
    const throwing = z.object({ id: z.string().transform((text) => JSON.parse(text)) })
    expect(refusalOf({ ...good, input: throwing, examples: [{ input: { id: '{' } }] })).toContain(
      'example 1 cannot be used: ',
    )
  })

  it('accepts examples unchecked when the schema is asynchronous', () => {
    const waiting = z.object({ id: z.string().refine(async () => false) })
    expect(refusalOf({ ...good, input: waiting, examples: [{ input: { id: '7' } }] })).toBe('defined')
  })

  it('refuses an example without input', () => {
    expect(refusalOf({ ...good, input, examples: [{ title: 'Nothing' }] })).toMatch(
      /example 1 does not match the input schema/,
    )
  })
})

describe('the other fields', () => {
  it.each([
    [{ title: 7 }, '`title`: expected a text, found 7'],
    [{ category: 7 }, '`category`: expected a text, found 7'],
    [{ tags: 'x' }, "`tags`: expected a list of texts, found 'x'"],
    [{ tags: ['x', 7] }, '`tags`: entry 2: expected a text, found 7'],
    [{ contexts: 'sales' }, "`contexts`: expected a list of texts, found 'sales'"],
    [{ requires: 'login' }, "`requires`: expected a list of texts, found 'login'"],
    [{ errors: [{ code: 'X' }] }, '`errors`: entry 1: expected a text, found an object'],
    [{ examples: {} }, '`examples`: expected a list of objects, found an object'],
    [{ examples: ['x'] }, "`examples`: entry 1: expected an object, found 'x'"],
    [
      { executionTime: 'soon' },
      "`executionTime`: expected one of 'instant', 'fast', 'slow', 'long-running', found 'soon'",
    ],
    [{ version: 2 }, '`version`: expected a text, found 2'],
    [{ mutation: 'no' }, "`mutation`: expected true or false, found 'no'"],
    [{ destructive: 1 }, '`destructive`: expected true or false, found 1'],
    [{ confirmPrompt: true }, '`confirmPrompt`: expected a text, found true'],
    [{ handoff: 'websocket' }, "`handoff`: expected true or false, found 'websocket'"],
    [{ handoffProtocol: true }, '`handoffProtocol`: expected a text, found true'],
    [{ expose: 'mcp' }, "`expose`: expected an object, found 'mcp'"],
    [{ expose: { mcp: 'yes' } }, "`expose.mcp`: expected true or false, found 'yes'"],
    [{ expose: { api: true } }, "`expose`: 'api' is not one of its fields"],
    [{ output: {} }, '`output`: expected a schema of zod 4 or another Standard Schema, found an object'],
    [{ catgory: 'x' }, "'catgory' is not one of its fields. Did you mean 'category'?"],
    [{ zzzzzz: 'x' }, "'zzzzzz' is not one of its fields. Use one of 'name', 'description',"],
  ])('refuses the field %o', (fields, message) => {
    expect(refusalOf({ ...good, ...fields })).toContain(`Command 'order-get' cannot be defined: ${message}`)
  })

  it('treats an undefined field as absent', () => {
    const fields = { title: undefined, tags: undefined, expose: undefined, examples: undefined, output: undefined }
    expect(refusalOf({ ...good, ...fields })).toBe('defined')
  })

  it.each([[undefined], [null], ['order-get']])('refuses %o as a definition', (options) => {
    expect(refusalOf(options)).toMatch(/cannot be defined: expected an object, found (nothing|null|'order-get')/)
  })
})

describe('defineBuiltin', () => {
  it('allows the reserved prefix and marks the command as built-in', () => {
    expect(defineBuiltin({ ...good, name: 'afd-help' })).toMatchObject({ name: 'afd-help', builtin: true })
    expect(defineCommand(good)).not.toHaveProperty('builtin')
  })

  it('does not make a command built-in if its options are copied from a built-in', () => {
    const builtin = { ...defineBuiltin({ ...good, name: 'afd-help' }), needsSession: true }
    const copy = defineCommand({ ...builtin, examples: [], name: 'order-help' })
    expect(copy).not.toHaveProperty('builtin')
    expect(copy).not.toHaveProperty('needsSession')
  })

  it('applies all other rules of defineCommand to a built-in', () => {
    expect(refusalOf({ ...good, name: 'afd help' }, defineBuiltin)).toMatch(/not one that MCP allows/)
    expect(refusalOf({ ...good, name: 'afd-help', description: '' }, defineBuiltin)).toMatch(/no description/)
    expect(refusalOf({ ...good, name: 'afd-help', input: z.string() }, defineBuiltin)).toMatch(/not an object/)
  })
})

it('creates a command from the fields of another one', () => {
  // A JavaScript program can do this; the derived fields of the first command are copied too.
  const derived = (other: Command) =>
    Object.assign({}, other, { name: 'order-show', input: z.object({ number: z.number() }), handler, examples: [] })
  const first = defineCommand(good)
  const second = defineCommand({ ...good, ...derived(first) })
  expect(second).toMatchObject({ name: 'order-show', description: good.description })
  expect(second.inputSchema).toMatchObject({ required: ['number'] })
})
