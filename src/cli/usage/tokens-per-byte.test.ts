import { expect, it } from 'vitest'
import { loadTokenCounter } from '../../core/tokens.ts'
import { cribOf, requestOf } from '../../crib/crib.fixture.ts'
import { tokensPerByte, USUAL_TOKENS_PER_BYTE } from './tokens-per-byte.ts'

const count = await loadTokenCounter()

const toolOf = (name: string, description: string) => ({
  id: `notes:${name}`,
  category: 'notes',
  listedName: name,
  traits: {},
  sourceId: 'notes',
  name,
  description,
  inputSchema: { type: 'object' as const, properties: { text: { type: 'string', description } } },
})
const english = Array.from({ length: 1_000 }, (_, n) =>
  toolOf(
    `add_note_${n}`,
    `Adds note ${n} to the notebook of the user, and returns its identifier and its creation time.`,
  ),
)
const chinese = [toolOf('add_note', '将一条笔记添加到用户的笔记本中，并返回其标识符和创建时间。')]

it('estimates the tokens of another list in the same language within 25 %', async () => {
  await using crib = cribOf([], { strategy: 'gateway' })
  const list = JSON.stringify(await crib.list(requestOf()))
  const estimate = Buffer.byteLength(list) * tokensPerByte(english, count)
  expect(estimate / count(list)).toBeGreaterThan(0.8)
  expect(estimate / count(list)).toBeLessThan(1.25)
})

it('measures at most 200 tools of a large catalog', () => {
  let measured = 0
  const ratio = tokensPerByte(english, (text) => {
    measured += 1
    return count(text)
  })
  expect(measured).toBe(200)
  expect(ratio).toBeCloseTo(tokensPerByte(english.slice(0, 200), count), 2)
})

it('the tokens per byte depend on the language of the tools, and have a default without tools', () => {
  expect(tokensPerByte(chinese, count)).not.toBeCloseTo(tokensPerByte(english, count), 2)
  expect(tokensPerByte([], count)).toBe(USUAL_TOKENS_PER_BYTE)
})
