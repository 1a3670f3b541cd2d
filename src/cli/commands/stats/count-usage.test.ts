import { expect, it } from 'vitest'
import { z } from 'zod'
import { success } from '../../../core/result.ts'
import { cribOf, requestOf } from '../../../crib/crib.fixture.ts'
import { strategies } from '../../../disclosure/strategies/builtins.ts'
import { createStrategy } from '../../../disclosure/strategies/create-strategy.ts'
import { defineCommand } from '../../../sources/commands/define.ts'
import type { AppendLog } from '../../../storage/append-log.ts'
import { countUsage } from './count-usage.ts'

const add = defineCommand({
  name: 'note-add',
  description: 'Adds a note.',
  input: z.object({ text: z.string() }),
  handler: async ({ text }) => success({ text }),
})

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

it('logs nothing for a call that runs a tool', async () => {
  const log = listLog()
  await using crib = cribOf([add])
  const counted = countUsage(crib, log)
  expect(await counted.call('note-add', { text: 'hello' }, requestOf())).toMatchObject({ success: true })
  await new Promise((resolve) => setImmediate(resolve))
  expect(log.lines).toEqual([])
})

it('treats every tool of a strategy as one that finds tools, except those that run tools', () => {
  const tools = [...strategies.values()].flatMap(({ name, variants }) =>
    Object.values(variants).flatMap(
      (options) => createStrategy(name, options, { hasContexts: false, builtins: true }).metaTools,
    ),
  )
  const namesOf = (runs: boolean) => [
    ...new Set(tools.filter(({ runsTools = false }) => runsTools === runs).map(({ listed }) => listed.name)),
  ]
  expect(namesOf(true).toSorted()).toEqual(['afd-batch', 'afd-call', 'afd-pipe', 'execute_tool', 'invoke_tool'])
  expect(namesOf(false).toSorted()).toEqual([
    'afd-detail',
    'afd-discover',
    'afd_capabilities',
    'afd_tool_schema',
    'get_category_tools',
    'get_tool_details',
    'get_tool_schema',
    'list_mcp_servers',
    'list_tool_categories',
    'list_tools',
    'manage_tools',
    'search_tools',
  ])
})
