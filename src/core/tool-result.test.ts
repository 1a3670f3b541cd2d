import { isCallToolResult, SERVER_INFO_META_KEY } from '@modelcontextprotocol/server'
import { expect, it } from 'vitest'
import { SERVER_INFO_KEY } from './encode-result.ts'
import { isToolResult } from './tool-result.ts'

const annotations = { audience: ['user', 'assistant'], priority: 0.5, lastModified: '2026-07-28T10:00:00+02:00' }
const icon = { src: 'https://x.test/i.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'dark' }
const valid: readonly Readonly<Record<string, unknown>>[] = [
  { type: 'text', text: 'a', annotations, _meta: { any: 1 } },
  { type: 'image', data: 'aGk=', mimeType: 'image/png', annotations },
  { type: 'audio', data: '', mimeType: 'audio/wav', _meta: {} },
  {
    type: 'resource_link',
    name: 'n',
    title: 't',
    uri: 'x://y',
    description: 'd',
    mimeType: 'a/b',
    size: 1,
    icons: [icon],
  },
  { type: 'resource', resource: { uri: 'x://y', mimeType: 'a/b', text: 'a', _meta: {} }, annotations },
  { type: 'resource', resource: { uri: 'x://y', blob: 'aGk=' } },
]
const WRONG: readonly unknown[] = [undefined, null, 0, 2, -1, '', 'x', '%%', true, [], ['x'], {}, { x: 1 }]

/** The value, and copies of it in which one field at any depth is missing, added or has another value. */
function* variants(value: unknown): Generator<unknown> {
  yield value
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) for (const other of variants(item)) yield value.with(at, other)
    yield [...value, 'x']
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, field] of Object.entries(value)) {
      const { [key]: _, ...rest } = value as Record<string, unknown> // checked above
      yield rest
      for (const other of [...WRONG, ...variants(field)]) yield { ...value, [key]: other }
    }
    for (const key of ['extra', '_meta', 'annotations', 'type'])
      for (const other of WRONG) yield { ...value, [key]: other }
  }
}

it('agrees with the check of the SDK on every kind of block, and on blocks with one wrong field', () => {
  let count = 0
  for (const block of valid) {
    for (const other of variants(block)) {
      const result = { content: [other] }
      if (isToolResult(result) !== isCallToolResult(result)) expect.fail(JSON.stringify(other))
      count++
    }
  }
  expect(count).toBeGreaterThan(1_000)
})

it.each<unknown>([
  {},
  { content: [] },
  { content: undefined },
  { content: null },
  { content: {} },
  { content: [], isError: true },
  { content: [], isError: 'no' },
  { content: [], structuredContent: 5 },
  { content: [], _meta: {} },
  { content: [], _meta: [] },
  { content: [], _meta: { [SERVER_INFO_META_KEY]: 5 } },
  { content: [], resultType: 'complete', more: 1 },
  null,
  5,
  [],
])('agrees with the check of the SDK on the result %j', (result) => {
  expect(isToolResult(result)).toBe(isCallToolResult(result))
})

it('SERVER_INFO_KEY is the key that the SDK uses', () => {
  expect(SERVER_INFO_KEY).toBe(SERVER_INFO_META_KEY)
})
