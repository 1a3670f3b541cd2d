import { expect, it } from 'vitest'
import { z } from 'zod'
import { success } from '../../core/result.ts'
import { loadTokenCounter } from '../../core/tokens.ts'
import { cribOf, requestOf } from '../../crib/crib.fixture.ts'
import { defineCommand } from '../../sources/commands/define.ts'
import type { AppendLog } from '../../storage/append-log.ts'
import { countUsage, tokensPerByte } from './usage-log.ts'

const commandOf = (name: string) =>
  defineCommand({
    name,
    description: 'Adds a note.',
    input: z.object({ text: z.string() }),
    handler: async ({ text }) => success({ text }),
  })
const add = commandOf('note-add')

function listLog(): AppendLog & { readonly lines: object[] } {
  const lines: object[] = []
  return {
    lines,
    append: async (...records) => void lines.push(...records),
    async [Symbol.asyncDispose]() {},
  }
}

it('logs the bytes of the tool list once per session, and of each answer to a search for tools', async () => {
  const log = listLog()
  await using crib = cribOf([add], { strategy: 'gateway' })
  const counted = countUsage(crib, log)
  const request = requestOf('one')
  const listed = await counted.list(request)
  await counted.list(request)
  const found = await counted.call('search_tools', { query: 'note' }, request)
  await expect.poll(() => log.lines.length).toBe(2)
  const session = expect.stringMatching(/^[0-9a-f]{12}$/)
  expect(log.lines).toContainEqual({
    time: expect.any(String),
    event: 'session',
    bytes: Buffer.byteLength(JSON.stringify(listed)),
    session,
    servers: ['commands'],
  })
  expect(log.lines).toContainEqual({
    time: expect.any(String),
    event: 'answer',
    tool: 'search_tools',
    bytes: Buffer.byteLength(JSON.stringify(found.data)),
    session,
  })
})

it('does not log the size of a call that runs a tool', async () => {
  const log = listLog()
  await using crib = cribOf([add])
  const counted = countUsage(crib, log)
  expect(await counted.call('note-add', { text: 'hello' }, requestOf())).toMatchObject({ success: true })
  await new Promise((resolve) => setImmediate(resolve))
  expect(log.lines).toEqual([])
})

it('logs the answers of a meta-tool that finds tools, but not those of a command with the name of a meta-tool', async () => {
  const log = listLog()
  await using crib = cribOf([commandOf('server_capabilities')], { prefix: 'my-notes' })
  const counted = countUsage(crib, log)
  await counted.call('server_capabilities', { text: 'hello' }, requestOf())
  await counted.call('my-notes-discover', {}, requestOf())
  await expect.poll(() => log.lines).toMatchObject([{ event: 'answer', tool: 'my-notes-discover' }])
})

it('logs one session per token of a principal if the tokens have different rights, each with the servers of its token', async () => {
  const log = listLog()
  await using crib = cribOf([add], { strategy: 'gateway' })
  const counted = countUsage(crib, log)
  const caller = { principal: 'ada', era: 'modern', transport: 'http' } as const
  for (const rights of [undefined, { servers: ['other'] }])
    await counted.list(requestOf(undefined, { caller: rights === undefined ? caller : { ...caller, rights } }))
  await expect.poll(() => log.lines.length).toBe(2)
  expect(log.lines.map((line) => 'servers' in line && line.servers)).toEqual(expect.arrayContaining([['commands'], []]))
})

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
  expect(tokensPerByte([], count)).toBe(1 / 4)
})
