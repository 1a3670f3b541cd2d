// Hostile calls in both eras: each one is answered, and the connection keeps working.

import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { success } from '../core/result.ts'
import { defineCommand } from '../sources/commands/define.ts'
import { commandReturning, createHolding, openDoor, within } from './door.fixture.ts'
import { ask, modern, type RawSession, startSession, toolCall } from './raw-client.fixture.ts'
import { type ClientEra, eras } from './sdk-client.fixture.ts'

const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' }
const cyclic: Record<string, unknown> = {}
cyclic.self = cyclic

function nested(depth: number): unknown {
  let value: unknown = 'bottom'
  for (let i = 0; i < depth; i++) value = [value]
  return value
}

/** Sends one call over raw HTTP. The arguments are text, so that they can be invalid. */
async function call(port: number, era: ClientEra, name: string, args = '{}', session?: RawSession, withinMs = 20_000) {
  const message = toolCall(name, 'ARGS')
  const wanted = modern(message)
  const put = (body: unknown) => JSON.stringify(body).replace('"ARGS"', () => args)
  const answer =
    era === 'modern'
      ? ask(port, { ...wanted, body: put(wanted.body) })
      : (session ?? (await startSession(port))).ask(put(message))
  return (await within(withinMs, `an answer to ${name}`, answer)).messages.at(-1)
}

describe.each(eras)('%s', (era) => {
  it('sends equal text and structured content when a handler adds to the object that it returned before', async () => {
    const items: string[] = []
    const shared = success(items)
    const again = commandReturning('list-again', () => {
      items.push(`item ${items.length}`)
      return shared
    })
    const { port } = await openDoor({ commands: [again] })
    for (const count of [1, 2, 3]) {
      const { content, structuredContent } = (await call(port, era, 'list-again'))?.result ?? {}
      expect(structuredContent?.data).toHaveLength(count)
      expect(JSON.parse(content?.[0]?.text ?? '')).toEqual(structuredContent)
    }
  })

  it('answers when data serializes differently each time', async () => {
    let written = 0
    const fickle = commandReturning('fickle-data', () =>
      success({ toJSON: () => (++written % 2 === 0 ? 10n : { written }) }),
    )
    const { port } = await openDoor({ commands: [fickle] })
    for (let round = 0; round < 3; round++) expect(await call(port, era, 'fickle-data')).toMatchObject({ id: 1 })
  })

  it.each([
    ['nesting deeper than any stack', `{"deep":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, 'INVALID_RESULT'],
    ['a megabyte of text', `{"text":"${'x'.repeat(1_000_000)}"}`, undefined],
    ['a hundred thousand keys', `{${Array.from({ length: 100_000 }, (_, i) => `"k${i}":${i}`).join()}}`, undefined],
    ['keys of Object.prototype', '{"__proto__":{"admin":true},"constructor":{"prototype":{}},"toString":1}', undefined],
    ['the same key twice', '{"a":1,"a":2}', undefined],
    ['a text instead of an object', '"{\\"a\\":1}"', 'either'],
    ['a list instead of an object', '[1,2]', 'either'],
  ])('answers a call with %s', async (_what, args, code) => {
    const { port } = await openDoor()
    const answer = await call(port, era, 'text-echo', args)
    expect(answer).toMatchObject({ id: 1 })
    if (code !== 'either') expect(answer?.result?.structuredContent?.error?.code).toBe(code)
    expect(({} as Record<string, unknown>).admin).toBeUndefined()
    expect((await call(port, era, 'text-echo', '{"still":"here"}'))?.result?.isError).toBeUndefined()
  })

  it.each([
    ['an empty text', ''],
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
    ['an unknown name', 'no-such-command'],
    ['a megabyte', 'x'.repeat(1_000_000)],
    ['a path', '../../etc/passwd'],
    ['characters that a header cannot contain', 'naïve\u0000'],
  ])('answers a call of a tool with a hostile name: %s', async (_what, name) => {
    const { port } = await openDoor()
    const header = /^[ -~]{1,100}$/.test(name) ? name : `=?base64?${Buffer.from(name).toString('base64')}?=`
    const wanted = modern(toolCall(name), { 'mcp-name': header })
    // A modern call repeats the name in a header, which cannot be that long.
    const answer =
      era === 'modern' && name.length < 10_000
        ? await ask(port, wanted)
        : await (await startSession(port)).ask(toolCall(name))
    const [message] = answer.messages
    expect(message?.id).toBe(1)
    expect(message?.result?.isError === true || message?.error !== undefined).toBe(true)
    expect(answer.text.length).toBeLessThan(10_000)
  })

  it.each([
    ['nothing', () => undefined],
    ['null', () => null],
    ['a text', () => 'done'],
    ['an object that is not a CommandResult', () => ({ ok: true })],
    ['a failure without an error', () => ({ success: false })],
    ['data that is a function', () => success(() => 1)],
    ['a cycle', () => success(cyclic)],
    ['a bigint', () => success(1n)],
    ['nesting deeper than any stack', () => success(nested(100_000))],
    ['a cycle in a content block', () => ({ success: true, content: [{ ...image, _meta: cyclic }] })],
    ['a bigint in a content block', () => ({ success: true, content: [{ ...image, _meta: { id: 1n } }] })],
    ['a content block of an unknown type', () => ({ success: true, content: [{ type: 'hologram' }] })],
    ['a content block that is a text', () => ({ success: true, content: ['hello'] })],
    ['content that is not a list', () => ({ success: true, content: 'hello' })],
    ['an image without its data', () => ({ success: true, content: [{ type: 'image' }] })],
    ['a toJSON that returns a list', () => ({ success: true, toJSON: () => [] })],
    ['a forged wire result', () => ({ success: true, wire: { content: [{ type: 'text', text: 'forged' }] } })],
  ])('answers with a tool result when a handler returns %s', async (_what, give) => {
    const { port } = await openDoor({ commands: [commandReturning('odd-give', give)] })
    const answer = await call(port, era, 'odd-give')
    expect(answer).toMatchObject({ id: 1 })
    expect(answer?.error).toBeUndefined()
    const { structuredContent, content } = answer?.result ?? {}
    expect(content?.[0]?.text).toBe(JSON.stringify(structuredContent))
    expect(structuredContent?.success === true || structuredContent?.error?.code === 'INVALID_RESULT').toBe(true)
  })

  it('answers with an error when a result is larger than a message can be, and keeps serving', async () => {
    const { port } = await openDoor({
      commands: [commandReturning('large-give', () => success('x'.repeat(270_000_000)))],
    })
    const session = await startSession(port)
    const answer = await call(port, era, 'large-give', '{}', session, 50_000)
    expect(answer?.result).toMatchObject({ isError: true, structuredContent: { error: { code: 'INVALID_RESULT' } } })
    expect(answer?.result?.structuredContent?.error?.message).toMatch(
      /it is 270000\d\d\d bytes long; at most \d+ are sent/,
    )
    expect((await call(port, era, 'text-echo', '{"still":"here"}', session))?.result?.isError).toBeUndefined()
  }, 60_000)

  it('answers at every nesting depth around the deepest that can be serialized', async () => {
    const deep = defineCommand({
      name: 'deep-give',
      description: 'Give nested data.',
      input: z.object({ depth: z.number() }),
      handler: ({ depth }) => success(nested(depth)),
    })
    const { port } = await openDoor({ commands: [deep] })
    const session = await startSession(port)
    const isWritten = async (depth: number) => {
      const answer = await call(port, era, 'deep-give', `{"depth":${depth}}`, session)
      const { isError = false, structuredContent } = answer?.result ?? {}
      expect(answer, `the answer at depth ${depth}`).toMatchObject({ id: 1, result: { content: [{ type: 'text' }] } })
      expect(structuredContent?.error?.code, `depth ${depth}`).toBe(isError ? 'INVALID_RESULT' : undefined)
      return !isError
    }
    let [low, high] = [500, 50_000]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (await isWritten(middle)) low = middle
      else high = middle
    }
    for (let depth = low - 30; depth < low + 30; depth++) expect(await isWritten(depth)).toBe(depth <= low)
  })

  it.each([
    ['an Error', new Error('broken inside')],
    ['a text', 'broken inside'],
    ['null', null],
    ['an error without a message', new TypeError()],
  ])('answers without a stack when a handler throws %s', async (_what, thrown) => {
    const breaking = commandReturning('odd-throw', () => {
      throw thrown
    })
    const { port } = await openDoor({ commands: [breaking] })
    const answer = await call(port, era, 'odd-throw')
    expect(answer?.result).toMatchObject({
      isError: true,
      structuredContent: { success: false, error: { code: 'COMMAND_EXECUTION_ERROR' } },
    })
    expect(JSON.stringify(answer)).not.toContain('.test.ts')
  })

  it.each([
    ['log data with a cycle', 'log', cyclic],
    ['log data with a bigint', 'log', 1n],
    ['progress that is not a number', 'progress', Number.NaN],
    ['infinite progress', 'progress', Number.POSITIVE_INFINITY],
  ] as const)(
    'answers a call when its handler sends %s, and sends the client no progress that is null',
    async (_what, kind, value) => {
      const chatty = commandReturning('odd-talk', (context) => {
        if (kind === 'log') context.log('error', value)
        else context.progress(value as number) // the table above pairs kind and value
        return success('said')
      })
      const { port } = await openDoor({ commands: [chatty] })
      const message = toolCall('odd-talk', {}, 1, { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'debug' })
      const answer = await within(
        5_000,
        'an answer',
        era === 'modern' ? ask(port, modern(message)) : (await startSession(port)).ask(message),
      )
      expect(answer.messages.at(-1)?.result?.structuredContent?.data).toBe('said')
      for (const { params } of answer.messages.slice(0, -1)) expect(params?.progress ?? 0).not.toBeNull()
    },
  )

  it('answers other calls while one handler never ends', async () => {
    const holding = createHolding()
    const { port } = await openDoor({ commands: [holding.command] })
    const session = await startSession(port)
    void (era === 'modern' ? ask(port, modern(toolCall('job-hold'))) : session.ask(toolCall('job-hold', {}, 99))).catch(
      () => {},
    )
    await holding.next()
    expect((await call(port, era, 'text-echo', '{"a":1}', session))?.result?.structuredContent?.data).toEqual({ a: 1 })
  })
})
