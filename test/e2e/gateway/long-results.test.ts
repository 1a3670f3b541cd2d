// Long results: they are cut, stored for their caller, and can be read to the end.

import type { CallToolResult } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { loadTokenCounter } from '../../../src/core/tokens.ts'
import type { GatewayClient } from './client.ts'
import { combinations, covers, OVER, useEveryClient, useGateway } from './harness.ts'
import { fixtureServer } from './servers.ts'

const MAX_TOKENS = 500
const discovery = { listWaitMs: 30_000, servers: { box: fixtureServer('toolbox') } }
/** The result of the tool `long` of the toolbox. */
const longText = (lines: number) =>
  Array.from({ length: lines }, (_, at) => `Line ${at}: the ${at * 7919} of many words.`).join('\n')

const textsOf = ({ content }: CallToolResult) => content.map((block) => (block.type === 'text' ? block.text : ''))

interface Part {
  readonly text: string
  /** The next call from the notice at the end of a part; undefined in the last part. */
  readonly next: { readonly handle: string; readonly offset: number } | undefined
}

/** Reads one part of a result like a model: the next call comes only from the notice. */
function partOf(result: CallToolResult): Part {
  const texts = textsOf(result)
  const told = /^\[cut: .*; execute_tool (\{.*\}) reads on\]$/.exec(texts.at(-1) ?? '')
  if (told === null) return { text: texts.join(''), next: undefined }
  return { text: texts.slice(0, -1).join(''), next: JSON.parse(told[1] ?? '') }
}

async function readAll(client: GatewayClient, first: CallToolResult): Promise<readonly Part[]> {
  const parts = [partOf(first)]
  for (let next = parts[0]?.next; next !== undefined; next = parts.at(-1)?.next) {
    parts.push(partOf(await client.run(next)))
    if (parts.length > 200) throw new Error('The result has no end.')
  }
  return parts
}

const { clientOf } = useEveryClient({ config: { discovery, limits: { maxResultTokens: MAX_TOKENS } } })

describe.each(combinations)(OVER, (combination) => {
  const client = () => clientOf(combination)

  it('a long result is cut, with a notice in its last block and in _meta', async () => {
    covers('LR-1')
    const result = await client().run({ tool: 'long', arguments: { lines: 400 } })
    const { text, next } = partOf(result)
    expect(next).toEqual({ handle: expect.stringMatching(/^[\w-]{16,}$/), offset: text.length })
    expect(longText(400).startsWith(text)).toBe(true)
    // The cut is at the end of a line.
    expect(text.endsWith('\n')).toBe(true)
    const tokens = (await loadTokenCounter())(text)
    expect(tokens).toBeGreaterThan(MAX_TOKENS / 2)
    expect(tokens).toBeLessThanOrEqual(MAX_TOKENS)
    expect(result._meta?.['toolcrib/result']).toEqual({
      handle: next?.handle,
      nextOffset: text.length,
      totalChars: longText(400).length,
    })
    expect(JSON.stringify(result.structuredContent ?? '').length).toBeLessThan(text.length)
  })

  it('the parts of a cut result together are the whole result', async () => {
    covers('LR-2')
    const parts = await readAll(client(), await client().run({ tool: 'long', arguments: { lines: 400 } }))
    expect(parts.length).toBeGreaterThan(5)
    expect(parts.map(({ text }) => text).join('')).toBe(longText(400))
  })

  it('a short result is not changed', async () => {
    covers('LR-1')
    const result = await client().run({ tool: 'long', arguments: { lines: 5 } })
    expect(textsOf(result)).toEqual([longText(5)])
    expect(result._meta ?? {}).not.toHaveProperty('toolcrib/result')
  })
})

describe('a handle', () => {
  const [alice, bob] = ['alice-0123456789abcdef', 'bob-0123456789abcdef']
  const gateway = useGateway({
    door: 'http',
    env: { ALICE: alice, BOB: bob },
    config: {
      discovery,
      http: { tokens: { alice: `\${ALICE}`, bob: `\${BOB}` } },
      limits: { maxResultTokens: MAX_TOKENS, maxHandles: 3 },
    },
  })
  const begin = async (client: GatewayClient) => {
    const { next } = partOf(await client.run({ tool: 'long', arguments: { lines: 400 } }))
    if (next === undefined) throw new Error('The result was not cut.')
    return next
  }

  it.each(['legacy', 'modern'] as const)('a handle can be used only by its own caller: %s', async (era) => {
    covers('LR-3', 'HG-2')
    const hers = await gateway().connect({ era, token: alice })
    const handle = await begin(hers)
    for (const other of ['legacy', 'modern'] as const) {
      const his = await gateway().connect({ era: other, token: bob })
      expect(await his.ask('execute_tool', handle)).toMatchObject({ error: { code: 'HANDLE_NOT_FOUND' } })
      expect(await his.ask('execute_tool', { ...handle, offset: 0 })).toMatchObject({
        error: { code: 'HANDLE_NOT_FOUND' },
      })
    }
    expect(partOf(await hers.run(handle)).text).toContain('of many words.')
  })

  it('a handle of a caller without sessions is valid after a reconnect', async () => {
    covers('LR-3')
    const first = await gateway().connect({ era: 'modern', token: alice })
    const handle = await begin(first)
    await first.close()
    const second = await gateway().connect({ era: 'modern', token: alice })
    expect(partOf(await second.run(handle)).text).toContain('of many words.')
  })

  it('the oldest handle is removed when there are too many', async () => {
    covers('LR-4')
    const client = await gateway().connect({ era: 'modern', token: alice })
    const handles = [await begin(client), await begin(client), await begin(client), await begin(client)]
    const codes = await Promise.all(
      handles.map(async (handle) => {
        const { isError, structuredContent } = await client.run(handle)
        return isError === true ? (structuredContent as { error: { code: string } }).error.code : 'there'
      }),
    )
    expect(codes).toEqual(['HANDLE_NOT_FOUND', 'there', 'there', 'there'])
  })

  it('an invalid offset is refused with a message that names `offset`', async () => {
    covers('LR-2')
    const client = await gateway().connect({ era: 'modern', token: alice })
    const { handle } = await begin(client)
    for (const offset of [-1, 10_000_000]) {
      expect(await client.ask('execute_tool', { handle, offset })).toMatchObject({
        error: { code: 'VALIDATION_ERROR', message: expect.stringContaining('offset') },
      })
    }
  })
})
