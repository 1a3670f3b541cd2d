import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { success } from '../core/result.ts'
import { defineCommand } from '../sources/commands/define.ts'
import { openDoor } from './door.fixture.ts'
import { checkParamHeaders } from './param-headers.ts'
import { ask, modern, startSession, toolCall } from './raw-client.fixture.ts'
import { connectHttp } from './sdk-client.fixture.ts'

const schema = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    count: { type: 'integer', 'x-mcp-header': 'Count' },
    dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
    plain: { type: 'string' },
    where: { type: 'object', properties: { zone: { type: 'string', 'x-mcp-header': 'Zone' } } },
  },
}

function check(args: unknown, headers: Readonly<Record<string, string>> = {}): string | undefined {
  return checkParamHeaders(schema, args, new Headers(headers))
}

function base64(text: string): string {
  return `=?base64?${Buffer.from(text).toString('base64')}?=`
}

describe('a marked parameter', () => {
  it.each([
    ['text', { region: 'eu-west' }, { 'mcp-param-region': 'eu-west' }],
    ['a number', { count: 42 }, { 'mcp-param-count': '42' }],
    ['a negative number', { count: -7 }, { 'mcp-param-count': '-7' }],
    ['zero', { count: 0 }, { 'mcp-param-count': '0' }],
    ['a number written with its fraction', { count: 42 }, { 'mcp-param-count': '42.0' }],
    ['true', { dry: true }, { 'mcp-param-dry': 'true' }],
    ['false', { dry: false }, { 'mcp-param-dry': 'false' }],
    ['a nested one', { where: { zone: 'a' } }, { 'mcp-param-zone': 'a' }],
    ['text in Base64', { region: 'Zürich' }, { 'mcp-param-region': base64('Zürich') }],
    ['empty text in Base64', { region: '' }, { 'mcp-param-region': base64('') }],
    ['a number in Base64', { count: 42 }, { 'mcp-param-count': base64('42') }],
    ['text that looks like Base64 and is not marked as such', { region: 'YWJj' }, { 'mcp-param-region': 'YWJj' }],
    ['several at once', { region: 'eu', count: 1 }, { 'mcp-param-region': 'eu', 'mcp-param-count': '1' }],
  ])('accepts a parameter that matches its header: %s', (_what, args, headers) => {
    expect(check(args, headers)).toBeUndefined()
  })

  it.each([
    ['another text', { region: 'eu-west' }, { 'mcp-param-region': 'us-east' }],
    ['another case', { region: 'eu' }, { 'mcp-param-region': 'EU' }],
    ['the same twice', { region: 'eu' }, { 'mcp-param-region': 'eu, eu' }],
    ['another number', { count: 42 }, { 'mcp-param-count': '43' }],
    ['an empty header for zero', { count: 0 }, { 'mcp-param-count': '' }],
    ['spaces in Base64 for zero', { count: 0 }, { 'mcp-param-count': base64('  ') }],
    ['a number in hexadecimal', { count: 16 }, { 'mcp-param-count': '0x10' }],
    ['a word for a number', { count: 42 }, { 'mcp-param-count': 'many' }],
    ['another boolean', { dry: true }, { 'mcp-param-dry': 'false' }],
    ['a boolean in capitals', { dry: true }, { 'mcp-param-dry': 'True' }],
    ['a number for a boolean', { dry: true }, { 'mcp-param-dry': '1' }],
    ['another nested one', { where: { zone: 'a' } }, { 'mcp-param-zone': 'b' }],
  ])('refuses a parameter that differs from its header: %s', (_what, args, headers) => {
    expect(check(args, headers)).toMatch(/^the header Mcp-Param-\w+ differs from '\w+' in the body$/)
  })

  it('refuses a parameter without its header', () => {
    expect(check({ region: 'eu' })).toBe("the header Mcp-Param-Region is missing for 'region'")
    expect(check({ where: { zone: 'a' } })).toBe("the header Mcp-Param-Zone is missing for 'zone'")
    expect(check({ region: 'eu', count: 1 }, { 'mcp-param-region': 'eu' })).toMatch(/Mcp-Param-Count is missing/)
  })

  it.each(['=?base64?%%%?=', '=?base64?YWJ?=', '=?base64?YW Jj?=', '=?base64?/w==?='])(
    'refuses a header with invalid Base64: %s',
    (header) => {
      expect(check({ region: 'x' }, { 'mcp-param-region': header })).toBe(
        'the header Mcp-Param-Region is not valid Base64',
      )
    },
  )

  it('needs no header for an absent or null parameter, and ignores a header without a parameter', () => {
    expect(check({})).toBeUndefined()
    expect(check({ region: null, count: undefined })).toBeUndefined()
    expect(check({}, { 'mcp-param-region': 'eu' })).toBeUndefined()
  })

  it('needs no header for an integer that is not a safe integer of JavaScript', () => {
    // Clients send no header for such a number, so the server must not require one.
    expect(check({ count: 2 ** 53 })).toBeUndefined()
    expect(check({ count: -(2 ** 60) })).toBeUndefined()
  })

  it('accepts any text in Base64', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (region) => {
        expect(check({ region }, { 'mcp-param-region': base64(region) })).toBeUndefined()
      }),
    )
  })
})

describe('other parameters', () => {
  it('ignores unmarked and unknown parameters, and arguments that are not an object', () => {
    expect(check({ plain: 'x', other: 'y' })).toBeUndefined()
    for (const args of [undefined, null, 'text', 7, [], ['region']]) expect(check(args)).toBeUndefined()
  })

  it('leaves a value of another type to the schema validation', () => {
    expect(check({ region: { deep: true }, count: ['1'] })).toBeUndefined()
    expect(check({ where: 'not an object' })).toBeUndefined()
  })

  it('reads only own properties of the arguments', () => {
    const marked = { type: 'object', properties: { constructor: { type: 'string', 'x-mcp-header': 'C' } } }
    expect(checkParamHeaders(marked, {}, new Headers())).toBeUndefined()
    expect(checkParamHeaders(marked, JSON.parse('{"__proto__":{"region":"eu"}}'), new Headers())).toBeUndefined()
  })

  it.each([{}, { type: 'object' }, { properties: null }, { properties: { a: true } }, { properties: [] }])(
    'checks nothing for the schema %j',
    (other) => {
      expect(checkParamHeaders(other, { a: 1 }, new Headers())).toBeUndefined()
    },
  )
})

describe('over HTTP', () => {
  const deploy = defineCommand({
    name: 'site-deploy',
    description: 'Deploy a site.',
    input: z.object({
      region: z.string().meta({ 'x-mcp-header': 'Region' }),
      count: z.int().optional().meta({ 'x-mcp-header': 'Count' }),
      where: z.object({ zone: z.string().meta({ 'x-mcp-header': 'Zone' }) }).optional(),
    }),
    handler: (input) => success(input),
  })

  it.each([
    { region: 'eu-west' },
    { region: 'Zürich', count: 0 },
    { region: '', where: { zone: ' a ' } },
    { region: 'eu', count: -12 },
  ])('accepts a call of an official modern client that knows the schema: %j', async (args) => {
    const { port } = await openDoor({ commands: [deploy] })
    const { client, call } = await connectHttp(port, 'modern')
    await client.listTools()
    expect((await call('site-deploy', args)).data).toEqual(args)
  })

  it('refuses a modern call with different headers and does not run it', async () => {
    const { port, front } = await openDoor({ commands: [deploy] })
    const message = toolCall('site-deploy', { region: 'eu' })
    for (const headers of [{}, { 'mcp-param-region': 'us' }, { 'mcp-param-region': '=?base64?!?=' }]) {
      const answer = await ask(port, modern(message, headers))
      expect(answer.status).toBe(400)
      expect(answer.messages[0]?.error).toMatchObject({ code: -32020, data: { code: 'HEADER_MISMATCH' } })
    }
    expect(front.events).toEqual([])
    expect((await ask(port, modern(message, { 'mcp-param-region': 'eu' }))).status).toBe(200)
  })

  it('needs no Mcp-Param headers for a legacy call', async () => {
    const { port } = await openDoor({ commands: [deploy] })
    const { messages } = await (await startSession(port)).ask(toolCall('site-deploy', { region: 'eu' }))
    expect(messages.at(-1)?.result?.structuredContent?.data).toEqual({ region: 'eu' })
  })
})
