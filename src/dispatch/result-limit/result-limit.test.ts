import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CommandResult, failure, success } from '../../core/result.ts'
import { loadTokenCounter } from '../../core/tokens.ts'
import { toResult } from '../../sources/upstream/to-result.ts'
import { createMemoryStore } from '../../storage/memory.ts'
import { anyText } from './any-text.fixture.ts'
import { createResultLimit, type ResultLimit, type ResultLimitOptions } from './result-limit.ts'

const count = await loadTokenCounter()
const text = (value: string): ContentBlock => ({ type: 'text', text: value })
const words = (tokens: number) => 'word '.repeat(tokens)

function open(options: Partial<ResultLimitOptions> = {}): ResultLimit {
  return createResultLimit({ store: createMemoryStore(), maxTokens: 100, ...options })
}

function upstream(content: readonly ContentBlock[], rest: Partial<CallToolResult> = {}): CommandResult {
  return toResult('files', 'read', { content, ...rest })
}

function blocksOf(result: CommandResult): ContentBlock[] {
  return result.wire?.content ?? []
}

function lastText(result: CommandResult): string {
  const last = blocksOf(result).at(-1)
  return last?.type === 'text' ? last.text : ''
}

function metaOf(result: CommandResult) {
  const meta = result.wire?._meta?.['toolcrib/result'] ?? {}
  // The limit sets this field itself; the tests check its fields.
  return meta as { handle?: string; nextOffset?: number; totalChars?: number }
}

/** All text of a result except the notice. */
function partOf(result: CommandResult): string {
  const blocks = metaOf(result).nextOffset === undefined ? blocksOf(result) : blocksOf(result).slice(0, -1)
  return blocks.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

async function readAll(limit: ResultLimit, first: CommandResult, owner = 'me'): Promise<string[]> {
  const parts = [partOf(first)]
  let { handle = '', nextOffset } = metaOf(first)
  while (nextOffset !== undefined) {
    const next = await limit.read(handle, nextOffset, owner)
    expect(next.success).toBe(true)
    parts.push(partOf(next))
    nextOffset = metaOf(next).nextOffset
  }
  return parts
}

describe('limit() with a short result', () => {
  it.each([
    ['of a command', success({ a: words(20) })],
    ['of a command that failed', failure({ code: 'NOPE', message: words(20) })],
    ['of an upstream server', upstream([text(words(99))], { structuredContent: { a: 1 } })],
    ['of long words', upstream([text('international '.repeat(90))])],
    ['that cannot be sent', success({ big: 1n })],
  ])('returns a result within the limit unchanged: %s', async (_, result) => {
    expect(await open().limit(result, 'me')).toBe(result)
  })
})

describe('limit() with a long result', () => {
  it('cuts a long result, adds a notice as the last block, and puts the handle and the offset into `_meta`', async () => {
    const limit = open()
    const result = await limit.limit(upstream([text(words(1_000))], { _meta: { trace: 1 } }), 'me')
    const { handle, nextOffset, totalChars } = metaOf(result)
    expect(blocksOf(result)).toEqual([
      text(words(99)),
      text(`[cut: 100 of about 1,010 tokens; execute_tool {"handle": "${handle}", "offset": 495} reads on]`),
    ])
    expect({ nextOffset, totalChars }).toEqual({ nextOffset: 495, totalChars: 5_000 })
    expect(result.wire?._meta).toMatchObject({ trace: 1 })
    expect(result).toMatchObject({ success: true, data: words(99) })
  })

  it('names the configured read tool in the notice', async () => {
    const result = await open().limit(upstream([text(words(500))]), 'me', 'afd-more')
    expect(lastText(result)).toContain('; afd-more {"handle"')
  })

  it('cuts the result of a command as the JSON that would have been sent', async () => {
    const limit = open()
    const data = Array.from({ length: 100 }, (_, id) => ({ id, name: `user ${id}` }))
    const result = await limit.limit(success(data), 'me')
    expect(partOf(result)).toMatch(/^\{"success":true,"data":\[\{"id":0.*\},$/)
    expect(result.wire).not.toHaveProperty('structuredContent')
    expect(JSON.parse((await readAll(limit, result)).join(''))).toEqual({ success: true, data })
  })

  it('cuts an error in the same way and keeps it an error', async () => {
    const limit = open()
    const failed = await limit.limit(upstream([text(words(500))], { isError: true }), 'me')
    expect(failed).toMatchObject({ success: false, error: { code: 'TOOL_EXECUTION_ERROR' }, wire: { isError: true } })
    expect((await readAll(limit, failed)).join('')).toBe(words(500))
    const own = failure({ code: 'NOPE', message: 'no', details: { log: words(500) } })
    const cut = await limit.limit(own, 'me')
    expect(cut).toMatchObject({ success: false, error: { code: 'NOPE', message: 'no' }, wire: { isError: true } })
    expect(cut.error).not.toHaveProperty('details')
    expect(JSON.parse((await readAll(limit, cut)).join(''))).toEqual(own)
  })

  it('keeps blocks separate, even in later parts', async () => {
    const limit = open()
    const result = await limit.limit(upstream([text(words(80)), text(words(80)), text(words(80))]), 'me')
    expect(blocksOf(result).slice(0, -1)).toEqual([text(words(80))])
    const { handle = '', nextOffset = 0 } = metaOf(result)
    const next = await limit.read(handle, nextOffset, 'me')
    expect(blocksOf(next).slice(0, -1)).toEqual([text(words(80))])
    const small = await limit.limit(upstream(Array.from({ length: 60 }, (_, n) => text(`line ${n}`))), 'me')
    expect(blocksOf(small).length).toBeGreaterThan(20)
    expect(blocksOf(await limit.read(metaOf(small).handle ?? '', 0, 'me')).length).toBeGreaterThan(20)
  })

  it('keeps an image after the cut, and has only text in later parts', async () => {
    const limit = open()
    const image: ContentBlock = { type: 'image', data: 'AAAA', mimeType: 'image/png' }
    const result = await limit.limit(upstream([text(words(150)), image]), 'me')
    expect(blocksOf(result)).toEqual([text(words(99)), image, text(expect.stringContaining('[cut: ') as string)])
    expect((await readAll(limit, result)).join('')).toBe(words(150))
  })

  it('cuts the text of files and links too', async () => {
    const limit = open()
    const uri = 'file:///a'
    const file = await limit.limit(upstream([{ type: 'resource', resource: { uri, text: words(200) } }]), 'me')
    expect(blocksOf(file)[0]).toEqual({ type: 'resource', resource: { uri, text: words(99) } })
    expect(metaOf(file).totalChars).toBe(1_000)
    const links = Array.from({ length: 50 }, (_, n) => ({ type: 'resource_link' as const, uri, name: `${n}` }))
    const cut = await limit.limit(upstream(links), 'me')
    const whole = blocksOf(cut).filter((block) => block.type === 'resource_link')
    expect(whole).toEqual(links.slice(0, whole.length))
    expect(metaOf(cut).nextOffset).toBe(whole.map((link) => JSON.stringify(link)).join('').length)
  })
})

describe('limit() with structured content', () => {
  it('drops structured content next to a cut text, unless the structured content is small', async () => {
    const long = { rows: words(500) }
    const dropped = await open().limit(upstream([text(JSON.stringify(long))], { structuredContent: long }), 'me')
    expect(dropped.wire).not.toHaveProperty('structuredContent')
    expect(lastText(dropped)).toContain('[cut: ')
    const kept = await open().limit(upstream([text(words(500))], { structuredContent: { ok: true } }), 'me')
    expect(kept.wire?.structuredContent).toEqual({ ok: true })
  })

  it('cuts long structured content like text when the text is too short to contain it', async () => {
    const limit = open()
    const structuredContent = { rows: Array.from({ length: 200 }, (_, id) => ({ id })) }
    const result = await limit.limit(upstream([text('200 rows.')], { structuredContent }), 'me')
    expect(result.wire).not.toHaveProperty('structuredContent')
    expect(blocksOf(result)[0]).toEqual(text('200 rows.'))
    const all = (await readAll(limit, result)).join('')
    expect(JSON.parse(all.slice('200 rows.'.length))).toEqual(structuredContent)
  })

  it('drops long structured content when the text fits and is long enough to contain the same', async () => {
    const lines = words(40)
    const result = await open().limit(upstream([text(lines)], { structuredContent: { x: '𓀀'.repeat(50) } }), 'me')
    expect(result.wire).toEqual({ content: [text(lines)] })
  })
})

describe('limit() with binary blocks', () => {
  it('replaces a binary block above the limit with a line and keeps the rest', async () => {
    const content: ContentBlock[] = [text('See:'), { type: 'image', data: 'A'.repeat(4_000), mimeType: 'image/png' }]
    const result = await open({ maxBlockBytes: 2_000 }).limit(upstream(content, { structuredContent: { a: 1 } }), 'me')
    expect(blocksOf(result)).toEqual([
      text('See:'),
      text('[left out: image, image/png, 3,000 bytes; too large to pass on]'),
    ])
    expect(result.wire?.structuredContent).toEqual({ a: 1 })
    expect(result.wire).not.toHaveProperty('_meta')
  })
})

describe('read()', () => {
  it('returns exactly the whole text, in parts that are within the limit and not empty', async () => {
    const blocks = fc.array(anyText, { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(blocks, fc.integer({ min: 8, max: 120 }), fc.boolean(), async (texts, maxTokens, onDisk) => {
        const limit = open({ maxTokens, ...(onDisk ? { memoryBytes: 0 } : {}) })
        const first = await limit.limit(upstream(texts.map(text)), 'me')
        const parts = await readAll(limit, first)
        expect(parts.join('')).toBe(texts.join(''))
        if (parts.length === 1) return
        for (const part of parts) {
          expect(part).not.toBe('')
          expect(count(part)).toBeLessThanOrEqual(maxTokens)
        }
      }),
    )
  })

  it('gives the position of each part, and no notice with the last one', async () => {
    const limit = open()
    const first = await limit.limit(upstream([text(words(250))]), 'me')
    const { handle = '', nextOffset = 0 } = metaOf(first)
    const second = await limit.read(handle, nextOffset, 'me')
    expect(lastText(second)).toBe(
      `[cut: characters 495 to 990 of 1,250; execute_tool {"handle": "${handle}", "offset": 990} reads on]`,
    )
    const third = await limit.read(handle, 990, 'me')
    expect(third.wire).toEqual({
      content: [text(words(52))],
      _meta: { 'toolcrib/result': { handle, totalChars: 1_250 } },
    })
  })

  it('starts at any offset, but never in the middle of a character', async () => {
    const limit = open()
    const { handle = '' } = metaOf(await limit.limit(upstream([text('😀'.repeat(500))]), 'me'))
    expect(partOf(await limit.read(handle, 3, 'me'))).toMatch(/^(😀)+$/u)
    expect(partOf(await limit.read(handle, 999, 'me'))).toBe('😀')
    expect(partOf(await limit.read(handle, 0, 'me'))).toMatch(/^(😀)+$/u)
  })

  it('reads enough text when a token has many characters', async () => {
    const limit = open({ memoryBytes: 0 })
    const whole = `${' '.repeat(30_000)}end ${words(500)}`
    const first = await limit.limit(upstream([text(whole)]), 'me')
    const parts = await readAll(limit, first)
    expect(parts.join('')).toBe(whole)
    expect(parts[1]?.length).toBeGreaterThan(2_000)
  })

  it('fails in the same way for a handle that is unknown, expired, evicted or foreign', async () => {
    let clock = 0
    const limit = open({ ttlMs: 1_000, maxHandles: 2, now: () => clock })
    const make = async () => metaOf(await limit.limit(upstream([text(words(500))]), 'me')).handle ?? ''
    const [evicted, old] = [await make(), await make()]
    const mine = await make()
    const errorOf = async (handle: string, owner: string) => {
      const { error, success: isSuccess } = await limit.read(handle, 0, owner)
      return { ...error, isSuccess, message: error?.message.replace(handle, '') }
    }
    const unknown = await errorOf('A'.repeat(22), 'me')
    expect(unknown).toMatchObject({
      code: 'HANDLE_NOT_FOUND',
      isSuccess: false,
      suggestion: expect.stringMatching(/Call the tool again, unless the call changes something/),
    })
    expect(await errorOf(evicted, 'me')).toEqual(unknown)
    expect(await errorOf(mine, 'you')).toEqual(unknown)
    expect((await limit.read(old, 0, 'me')).success).toBe(true)
    clock = 1_000
    expect(await errorOf(old, 'me')).toEqual(unknown)
  })

  it.each([-1, 2_500, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'refuses the offset %d and names the valid offsets',
    async (offset) => {
      const limit = open()
      const { handle = '' } = metaOf(await limit.limit(upstream([text(words(500))]), 'me'))
      expect((await limit.read(handle, offset, 'me')).error).toMatchObject({
        code: 'VALIDATION_ERROR',
        message: "Invalid input for 'execute_tool': 'offset' must be a whole number from 0 to 2499",
      })
    },
  )

  it('offers no handle when the text is too large to keep', async () => {
    const result = await open({ maxHandleBytes: 1_000 }).limit(upstream([text(words(500))]), 'me')
    expect(lastText(result)).toBe(
      '[cut: 100 of about 505 tokens; the rest could not be kept; ask the tool for a smaller part]',
    )
    expect(metaOf(result)).toEqual({ totalChars: 2_500 })
  })
})

it.each(['maxTokens', 'maxHandles', 'ttlMs', 'memoryBytes'])('refuses a negative %s', (name) => {
  expect(() => open({ [name]: -1 })).toThrow(`${name} is -1`)
})

it('cuts a text of ten megabytes to at most 24,000 tokens by default', async () => {
  const long = 'One line of a very long report, with some numbers: 12,345.\n'.repeat(170_000)
  const limit = createResultLimit({ store: createMemoryStore() })
  const result = await limit.limit(upstream([text(long)]), 'me')
  expect(count(partOf(result))).toBeLessThanOrEqual(24_000)
  expect(metaOf(result).totalChars).toBe(long.length)
})

describe('limit() with fields next to the text', () => {
  const large = 'y'.repeat(1_000_000)
  const sizeOf = (result: CommandResult) => JSON.stringify(result.wire).length

  it('passes small extra fields on unchanged', async () => {
    const content: ContentBlock[] = [{ type: 'text', text: 'a', annotations: { priority: 1 }, _meta: { a: 1 } }]
    const result = upstream(content, { _meta: { a: 1 }, later: true })
    expect(await open().limit(result, 'me')).toBe(result)
  })

  it.each([
    ['_meta', { _meta: { large } }],
    ['an unknown field', { later: large }],
  ])('leaves large extra fields out and names them: %s', async (_, rest) => {
    const result = await open().limit(upstream([text('ok')], { ...rest, structuredContent: { a: 1 } }), 'me')
    expect(sizeOf(result)).toBeLessThan(500)
    expect(result.wire?.structuredContent).toEqual({ a: 1 })
    expect(blocksOf(result)[0]).toEqual(text('ok'))
    expect(lastText(result)).toMatch(
      /^\[left out: fields beside the content, 1,000,0\d\d characters of JSON; too large/,
    )
  })

  it.each<[string, ContentBlock]>([
    ['text', { type: 'text', text: 'ok', _meta: { large } }],
    ['a file', { type: 'resource', resource: { uri: `file:///${large}`, text: 'ok' } }],
    ['an image', { type: 'image', data: 'AA==', mimeType: large }],
    ['a binary file', { type: 'resource', resource: { uri: 'file:///a', blob: 'AA==', mimeType: large } }],
  ])('leaves large fields of a block out: %s', async (_, block) => {
    const result = await open().limit(upstream([text('first'), block]), 'me')
    expect(sizeOf(result)).toBeLessThan(500)
    expect(blocksOf(result)[0]).toEqual(text('first'))
    expect(lastText(result)).toMatch(/^ok$|^\[left out: /)
  })

  it('limits the number of blocks', async () => {
    const empty = await open().limit(upstream(Array.from({ length: 300_000 }, () => text(''))), 'me')
    expect(blocksOf(empty).length).toBeLessThan(1_010)
    const limit = open({ maxTokens: 10_000 })
    const image: ContentBlock = { type: 'image', data: 'AA==', mimeType: 'image/png' }
    const many = await limit.limit(upstream([...Array.from({ length: 3_000 }, (_, at) => text(`${at} `)), image]), 'me')
    expect(blocksOf(many).length).toBeLessThan(1_010)
    expect(partOf(many)).toMatch(/^0 1 2 .*2998 2999 \[left out: 1 block that is not text/)
  })

  it('adds no empty text if all blocks beyond the limit are links', async () => {
    const link: ContentBlock = { type: 'resource_link', uri: 'file:///a', name: 'a' }
    const links = Array.from({ length: 1_001 }, () => link)
    const result = await open({ maxTokens: 100_000 }).limit(upstream(links), 'me')
    expect(blocksOf(result)).toHaveLength(1_001)
    expect(lastText(result)).toBe('[left out: 1 block that is not text; too many to pass on]')
  })
})
