// execute_tool in front of real servers: its results and its errors.

import { setTimeout as delay } from 'node:timers/promises'
import type { CallToolResult } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { combinations, covers, OVER, useEveryClient } from './harness.ts'
import { useHome } from './home.ts'
import { everything, filesystem, fixtureServer, missing } from './servers.ts'

const home = useHome()
home.write('README.md', '# Hello\n')
const config = {
  discovery: {
    listWaitMs: 30_000,
    servers: {
      everything: everything(),
      filesystem: filesystem(home.path),
      talkative: fixtureServer('talkative'),
      toolbox: fixtureServer('toolbox'),
      modern: fixtureServer('modern'),
      notes: fixtureServer('notes', 'notes'),
      diary: fixtureServer('notes', 'diary'),
      hasty: { ...fixtureServer('talkative'), timeoutMs: 250 },
      known: { ...missing, tools: [{ name: 'knock', description: 'Knock at a door.' }] },
    },
  },
}

const structure = (result: CallToolResult) =>
  result.structuredContent as { success: boolean; result: unknown; error: object }
const types = (result: CallToolResult) => result.content.map(({ type }) => type)

const { clientOf } = useEveryClient({ config, home })

describe.each(combinations)(OVER, (combination) => {
  const client = () => clientOf(combination)
  const run = (server: string, tool: string, args: object = {}) => client().run({ server, tool, arguments: args })

  it('execute_tool returns text unchanged, and also as `result`', async () => {
    covers('XT-1', 'RS-2')
    expect(await run('everything', 'echo', { message: 'hello' })).toMatchObject({
      content: [{ type: 'text', text: 'Echo: hello' }],
      structuredContent: { success: true, result: 'Echo: hello' },
    })
    const sum = await run('modern', 'add', { a: 1, b: 2 })
    expect(structure(sum)).toEqual({ success: true, result: { sum: 3 } })
    expect(sum.content).toEqual([{ type: 'text', text: '{"sum":3}' }])
  })

  it('execute_tool sends a long text once and does not repeat it as `result`', async () => {
    const message = 'word '.repeat(14_000)
    const answer = await run('everything', 'echo', { message })
    expect(answer.content).toEqual([{ type: 'text', text: `Echo: ${message}` }])
    expect(answer).not.toHaveProperty('structuredContent')
  })

  it('execute_tool returns structured content as `result`', async () => {
    covers('RS-2')
    const answer = await run('everything', 'get-structured-content', { location: 'Chicago' })
    const weather = { temperature: 36, conditions: 'Light rain / drizzle', humidity: 82 }
    expect(structure(answer)).toEqual({ success: true, result: weather })
    expect(JSON.parse(answer.content[0]?.type === 'text' ? answer.content[0].text : '')).toEqual(weather)
  })

  it('execute_tool returns images, audio, resources and links unchanged, without structured content', async () => {
    covers('RS-1', 'RS-2')
    const image = await run('everything', 'get-tiny-image')
    expect(types(image)).toEqual(['text', 'image', 'text'])
    expect(image.content[1]).toMatchObject({ mimeType: 'image/png', data: expect.stringMatching(/^iVBOR.{1000}/) })
    expect(image.structuredContent).toBeUndefined()
    expect(types(await run('everything', 'get-resource-links', { count: 2 }))).toEqual([
      'text',
      'resource_link',
      'resource_link',
    ])
    const resource = await run('everything', 'get-resource-reference', { resourceType: 'Text', resourceId: 3 })
    expect(resource.content[1]).toMatchObject({
      type: 'resource',
      resource: { uri: 'demo://resource/dynamic/text/3', text: expect.any(String) },
    })
    const blocks = await run('toolbox', 'blocks')
    expect(blocks.content).toEqual([
      { type: 'text', text: 'Five kinds', annotations: { audience: ['user'], priority: 0.9 } },
      { type: 'image', data: expect.stringMatching(/^iVBOR/), mimeType: 'image/png' },
      { type: 'audio', data: 'UklGRgAAAABXQVZF', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'box://one', mimeType: 'text/plain', text: 'The first' } },
      { type: 'resource_link', uri: 'box://two', name: 'two' },
    ])
    expect(blocks._meta).toMatchObject({ 'box.test/trace': 'abc' })
    expect(blocks).not.toHaveProperty('structuredContent')
  })

  it('execute_tool passes on the error message of a tool, with the server and the tool', async () => {
    covers('XT-2')
    const limit = 'Failed to create issue: API rate limit exceeded'
    expect(await run('talkative', 'fail')).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: limit }],
      structuredContent: {
        success: false,
        error: { code: 'TOOL_EXECUTION_ERROR', message: limit, server: 'talkative', tool: 'fail' },
      },
    })
    const denied = await run('filesystem', 'read_text_file', { path: '/etc/hostname' })
    expect(denied).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('Access denied') }] })
    expect(structure(denied)).toMatchObject({ error: { code: 'TOOL_EXECUTION_ERROR', server: 'filesystem' } })
  })

  it('execute_tool passes on all progress and logs, in order, before the result', async () => {
    covers('XT-5', 'RS-8')
    const tell = async (server: string, tool: string, args: object = {}) => {
      const from = client().notifications.length
      await client().run({ server, tool, arguments: args }, { progressToken: `for ${tool}` })
      return client().notifications.slice(from)
    }
    const steps = (count: number) => Array.from({ length: count }, (_, at) => `progress ${at + 1}`)
    const notifications = await tell('everything', 'trigger-long-running-operation', { duration: 0.2, steps: 10 })
    expect(notifications).toEqual(steps(10))
    // The server sends all these messages and the answer in one write.
    const [all, log] = [steps(5), 'log {"half":true}']
    expect(await tell('talkative', 'progress')).toEqual([...all.slice(0, 3), log, ...all.slice(3)])
    expect(await tell('modern', 'progress')).toEqual([...steps(3), 'log nearly there'])
  })

  it('execute_tool cancels a call at its server when the client cancels it', async () => {
    covers('RS-5')
    const seen = async () =>
      structure(await run('talkative', 'cancelled')).result as { cancelled: number; running: number }
    const before = (await seen()).cancelled
    const giveUp = new AbortController()
    const given = client().run({ server: 'talkative', tool: 'slow' }, { signal: giveUp.signal })
    await expect.poll(async () => (await seen()).running).toBe(1)
    giveUp.abort('enough')
    await expect(given).rejects.toThrow()
    await expect.poll(seen).toEqual({ cancelled: before + 1, running: 0 })
  })

  it('execute_tool refuses bad arguments, and lists the parameters', async () => {
    covers('FT-11')
    const refused = await client().ask('execute_tool', { tool: 'everything:get-sum', arguments: { a: 'one' } })
    expect(refused).toMatchObject({
      success: false,
      error: {
        code: 'VALIDATION_ERROR',
        server: 'everything',
        tool: 'get-sum',
        message: expect.stringMatching(/'b' is missing.*'a': expected number/),
        // The next action, and where to get the schema.
        suggestion: expect.stringMatching(/call again.*get_tool_details/),
        details: {
          parameters: [
            { name: 'a', type: 'number', description: 'First number', required: true },
            { name: 'b', type: 'number', description: 'Second number', required: true },
          ],
        },
      },
    })
  })

  it('execute_tool decodes arguments that are sent as JSON text', async () => {
    covers('FT-12')
    const decoded = await client().run({ tool: 'get-sum', arguments: '{"a": 20, "b": 22}' })
    expect(structure(decoded)).toMatchObject({ success: true, result: expect.stringContaining('42') })
    for (const text of ['{"a": 20, "b"', '[20, 22]', 'twenty']) {
      expect(await client().ask('execute_tool', { tool: 'get-sum', arguments: text })).toMatchObject({
        error: { code: 'VALIDATION_ERROR' },
      })
    }
  })
})

describe('execute_tool', () => {
  const client = () => clientOf({ door: 'http', era: 'legacy' })

  it.each([
    { server: 'filesystem', tool: 'read_text_file' },
    { tool: 'filesystem:read_text_file' },
    { server: 'filesystem', tool: 'filesystem:read_text_file' },
    { tool: 'read_text_file' },
  ])('execute_tool finds the tool that is named by %j', async (ref) => {
    covers('FT-6')
    const answer = await client().run({ ...ref, arguments: { path: home.at('README.md') } })
    expect(structure(answer)).toEqual({ success: true, result: { content: '# Hello\n' } })
  })

  it('execute_tool lists the servers and calls none if several servers have the tool', async () => {
    covers('FT-6')
    expect(await client().ask('execute_tool', { tool: 'add', arguments: { text: 'whose?' } })).toMatchObject({
      error: {
        code: 'TOOL_AMBIGUOUS',
        message: expect.stringMatching(/'notes'.*'diary'|'diary'.*'notes'/),
        details: { servers: expect.arrayContaining(['notes', 'diary', 'modern']) },
      },
    })
    const both = await Promise.all(['notes', 'diary'].map((server) => client().run({ server, tool: 'list' })))
    expect(both.map((answer) => structure(answer).result)).toEqual([[], []])
  })

  it('execute_tool suggests similar names for an unknown tool and for an unknown server', async () => {
    covers('ER-2', 'XT-3')
    const refused = await client().ask('execute_tool', { server: 'filesystem', tool: 'read_txt_file', arguments: {} })
    expect(refused).toMatchObject({
      error: { code: 'TOOL_NOT_FOUND', details: { similar: expect.arrayContaining(['read_text_file']) } },
    })
    expect(await client().ask('execute_tool', { server: 'filesytem', tool: 'read_text_file' })).toMatchObject({
      error: { code: 'SERVER_NOT_FOUND', details: { similar: ['filesystem'] } },
    })
  })

  it('execute_tool lists some tools of the server if no tool name is similar', async () => {
    covers('ER-2')
    const refused = await client().ask('execute_tool', { server: 'notes', tool: 'zzzzzz', arguments: {} })
    expect(refused).toMatchObject({ error: { code: 'TOOL_NOT_FOUND' } })
    expect(JSON.stringify(refused)).toMatch(/'add'|"add"/)
  })

  it('execute_tool answers SERVER_UNAVAILABLE with the reason if the server cannot be started, and other servers work', async () => {
    covers('RS-7', 'SV-2', 'ER-1')
    expect(await client().ask('execute_tool', { server: 'known', tool: 'knock' })).toMatchObject({
      error: {
        code: 'SERVER_UNAVAILABLE',
        server: 'known',
        tool: 'knock',
        message: expect.stringContaining("'no-such-program-anywhere' was not found"),
      },
    })
    expect(await client().ask('list_mcp_servers', { search: 'known' })).toMatchObject({
      servers: [{ status: 'disconnected', state: 'failed', reason: expect.stringContaining('not found') }],
    })
    expect(structure(await client().run({ tool: 'echo', arguments: { message: 'still here' } })).success).toBe(true)
  })

  it('a call through execute_tool takes less than 500 ms, in the median of 11 calls', async () => {
    covers('NU-5')
    await client().run({ tool: 'echo', arguments: { message: 'warm' } })
    const times: number[] = []
    for (let turn = 0; turn < 11; turn++) {
      const before = performance.now()
      await client().run({ tool: 'echo', arguments: { message: String(turn) } })
      times.push(performance.now() - before)
    }
    expect(times.toSorted((a, b) => a - b)[5]).toBeLessThan(500)
  })

  it('execute_tool answers TIMEOUT for a slow call and cancels it at its server, and the next call works', async () => {
    covers('RS-6')
    expect(await client().ask('execute_tool', { tool: 'hasty:slow' })).toMatchObject({
      error: { code: 'TIMEOUT', server: 'hasty', tool: 'slow', message: expect.stringContaining('250 ms') },
    })
    const counted = await client().run({ tool: 'hasty:cancelled' })
    expect(structure(counted).result).toEqual({ cancelled: 1, running: 0 })
  })
})

describe('prompts and resources', () => {
  it.each(combinations)(
    `the gateway offers no prompts and no resources without passthrough: ${OVER}`,
    async (combination) => {
      covers('PT-2')
      const { client } = clientOf(combination)
      expect((await client.listPrompts()).prompts).toEqual([])
      expect((await client.listResources()).resources).toEqual([])
      await expect(client.getPrompt({ name: 'everything__simple-prompt' })).rejects.toThrow()
    },
  )
})

describe('several gateways of one user', () => {
  it('several gateways write to one audit log, and each line is complete', async () => {
    covers('AU-5')
    const lines = () => home.lines('state/toolcrib/audit.jsonl')
    // The lines of earlier calls may be written up to 50 ms later.
    await delay(300)
    const [before, each] = [lines().length, 15]
    const calls = combinations.flatMap((combination) => Array.from({ length: each }, () => clientOf(combination)))
    await Promise.all(calls.map((client) => client.run({ tool: 'notes:list' })))
    await expect.poll(() => lines().length).toBe(before + calls.length)
    const callers = lines()
      .slice(before)
      .map((line) => JSON.parse(line).caller)
    for (const { door, era } of combinations) {
      expect(callers.filter((caller) => caller.transport === door && caller.era === era)).toHaveLength(each)
    }
  })
})
