// A real server wrapped by the built program over stdio, used by clients of both protocol eras.

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LOG_LEVEL_META_KEY } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { reference } from '../../../src/sources/upstream/upstream.fixture.ts'
import { removeFolder } from '../../../src/storage/remove-folder.fixture.ts'
import { main, run } from '../cli/harness.ts'
import { accepting, connectClient, eras, type GatewayClient, type ProtocolEra } from '../gateway/client.ts'
import { covers } from './requirements.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

const folder = mkdtempSync(join(tmpdir(), 'toolcrib-wrap-'))
const env = { PATH: process.env.PATH ?? '', HOME: folder }
afterAll(() => removeFolder(folder))

const { command, args: words } = commandOf(reference('everything', 'stdio'))

function commandOf(connection: ReturnType<typeof reference>) {
  if (connection.type !== 'stdio') throw new Error('Not a command.')
  return connection
}

async function wrapped(era: ProtocolEra, ...flags: readonly string[]): Promise<GatewayClient> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [main, 'wrap', ...flags, '--', command, ...words],
    env,
    stderr: 'ignore',
  })
  const client = await connectClient(transport, { era, reply: accepting({ name: 'Ada' }) })
  onTestFinished(() => client.close())
  return client
}

const isLegacy = (era: ProtocolEra) => era === 'legacy'

describe.each(eras)('server-everything wrapped, a %s client', (era) => {
  it('the wrapper keeps the name and instructions of the server, and the output schemas and annotations of its tools', async () => {
    covers('WR-1', 'WR-2')
    const { client, list } = await wrapped(era, '--strategy', 'individual')
    expect(client.getServerVersion()).toMatchObject({ name: 'mcp-servers/everything', title: expect.any(String) })
    expect(client.getInstructions()).toMatch(/^# Everything Server/)
    expect(client.getInstructions()).not.toContain('search_tools')
    const tools = await list()
    const structured = tools.find(({ name }) => name === 'get-structured-content')
    expect(structured).toMatchObject({ outputSchema: { type: 'object' }, inputSchema: { type: 'object' } })
    const toggle = tools.find(({ name }) => name === 'toggle-simulated-logging')
    expect(toggle?.annotations).toMatchObject({ readOnlyHint: false, idempotentHint: false })
    const answer = await client.callTool({ name: 'get-structured-content', arguments: { location: 'New York' } })
    expect(answer.structuredContent).toMatchObject({ temperature: expect.any(Number) })
  })

  it('the wrapper offers prompts, resources, templates and completions under their own names', async () => {
    covers('WR-3')
    const { client } = await wrapped(era)
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(expect.arrayContaining(['simple-prompt', 'completable-prompt']))
    const { messages } = await client.getPrompt({ name: 'args-prompt', arguments: { city: 'Paris' } })
    expect(messages[0]?.content).toMatchObject({ text: expect.stringContaining('Paris') })
    const { resources } = await client.listResources()
    const [first] = resources
    expect(first?.uri).toMatch(/^demo:\/\//)
    expect((await client.readResource({ uri: first?.uri ?? '' })).contents[0]).toMatchObject({ uri: first?.uri })
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain(
      'demo://resource/dynamic/text/{resourceId}',
    )
    const read = await client.readResource({ uri: 'demo://resource/dynamic/text/7' })
    expect(read.contents[0]).toMatchObject({ uri: 'demo://resource/dynamic/text/7' })
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'completable-prompt' },
      argument: { name: 'department', value: 'Eng' },
    })
    expect(completion.values).toEqual(['Engineering'])
  })

  it('the wrapper passes on the progress and the questions of the server to the client', async () => {
    covers('WR-4', 'WR-5')
    const { client, notifications, asked } = await wrapped(era, '--strategy', 'individual')
    await client.callTool({
      name: 'trigger-long-running-operation',
      arguments: { duration: 0.4, steps: 4 },
      _meta: { progressToken: 'mine' },
    })
    expect(notifications.filter((text) => text.startsWith('progress'))).toEqual(
      [1, 2, 3, 4].map((step) => `progress ${step}`),
    )
    await client.callTool({ name: 'trigger-sampling-request', arguments: { prompt: 'A poem', maxTokens: 10 } })
    const { content } = await client.callTool({ name: 'trigger-elicitation-request', arguments: {} })
    expect(asked.map(({ method }) => method)).toEqual(['sampling/createMessage', 'elicitation/create'])
    expect(JSON.stringify(content)).toContain('Ada')
  })

  it('the wrapper notifies the client of a changed list and returns the new list', async () => {
    covers('WR-6')
    const { client, notifications } = await wrapped(era, '--strategy', 'individual')
    await client.listResources()
    await client.callTool({
      name: 'gzip-file-as-resource',
      arguments: { name: 'hello.txt.gz', data: 'data:text/plain,hello', outputType: 'resourceLink' },
    })
    await vi.waitFor(() => expect(notifications).toContain('resources changed'), 20_000)
    const { resources } = await client.listResources(undefined, { cacheMode: 'bypass' })
    expect(resources.map(({ name }) => name)).toContain('hello.txt.gz')
  })

  it('the wrapper notifies a client of updates to a subscribed resource', async () => {
    covers('WR-7')
    const { client } = await wrapped(era, '--strategy', 'individual')
    const updated: string[] = []
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void updated.push(params.uri))
    const uri = 'demo://resource/dynamic/text/3'
    if (isLegacy(era)) await client.subscribeResource({ uri })
    else await client.listen({ resourceSubscriptions: [uri] })
    await client.callTool({ name: 'toggle-subscriber-updates', arguments: {} })
    await vi.waitFor(() => expect(updated).toContain(uri), 30_000)
  })

  it('the wrapper explains how to find tools that are not listed, and calls them', async () => {
    covers('WR-8', 'WR-1')
    const { client, list } = await wrapped(era, '--strategy', 'gateway')
    expect(client.getInstructions()).toMatch(/^# Everything Server[\s\S]*search_tools/)
    expect(await list()).toHaveLength(5)
    const hidden = await client.callTool({ name: 'echo', arguments: { message: 'hello' } })
    expect(JSON.stringify(hidden.content)).toContain('hello')
    const found = await client.callTool({ name: 'search_tools', arguments: { query: 'echo a message' } })
    expect(JSON.stringify(found.content)).toContain('echo')
  })

  it('the wrapper adds nothing to the instructions under a strategy that lists every tool', async () => {
    covers('WR-8', 'WR-1')
    const own = (await wrapped(era, '--strategy', 'individual')).client.getInstructions()
    expect((await wrapped(era, '--strategy', 'grouped')).client.getInstructions()).toBe(own)
  })
})

describe('logs', () => {
  it('a legacy client that sets a log level gets the log messages that the server sends outside a call', async () => {
    covers('WR-4')
    const { client, notifications } = await wrapped('legacy', '--strategy', 'individual')
    await client.setLoggingLevel('debug')
    await client.callTool({ name: 'toggle-simulated-logging', arguments: {} })
    await vi.waitFor(() => expect(notifications.filter((text) => /^log .*-?level/i.test(text))).not.toEqual([]), 40_000)
  })

  it('a modern client gets only the log messages of calls that request them', async () => {
    covers('WR-4')
    const plain = fileURLToPath(new URL('../../../build/test/conformance/sdk/main.js', import.meta.url))
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [main, 'wrap', '--strategy', 'individual', '--', process.execPath, plain, 'stdio'],
      env,
      stderr: 'ignore',
    })
    const { client, notifications } = await connectClient(transport, { era: 'modern' })
    onTestFinished(() => client.close())
    const name = 'test_tool_with_logging'
    await client.callTool({ name, arguments: {} })
    expect(notifications.filter((text) => text.startsWith('log'))).toEqual([])
    await client.callTool({ name, arguments: {}, _meta: { [LOG_LEVEL_META_KEY]: 'debug' } })
    expect(notifications).toEqual([
      'log Tool execution started',
      'log Tool processing data',
      'log Tool execution completed',
    ])
  })
})

describe('an invalid command line', () => {
  const home = { folder, cwd: folder, env, write: () => '', remove: () => {} }

  it.each([
    [['wrap'], /after --/],
    [['wrap', '--url', 'nowhere'], /--url takes an address/],
    [['wrap', '--url', 'http://127.0.0.1:1/mcp', '--header', 'no colon'], /Name: value/],
    [['wrap', '--', 'no-such-program-anywhere'], /no-such-program-anywhere/],
    [['wrap', '--strategy', 'nonsense', '--', process.execPath, ...words], /nonsense/],
    [['wrap', '--sse', '--', command, ...words], /--sse needs --url/],
    [['wrap', '--port', '0', '--', command, ...words], /--port has no effect without --http; add --http/],
    [['wrap', '--host', 'localhost', '--', command, ...words], /--host has no effect without --http; add --http/],
    [['wrap', '--no-auth', '--', command, ...words], /--no-auth has no effect without --http; add --http/],
    [['serve', '--port', '0'], /--port has no effect without --http; add --http/],
    [['serve', '--no-auth'], /--no-auth has no effect without --http; add --http/],
  ])('the command line %j is refused with the reason', async (line, reason) => {
    covers('WR-9')
    const { code, stderr, stdout } = await run(home, line)
    expect(code).not.toBe(0)
    expect(stderr).toMatch(reason)
    expect(stdout).toBe('')
  })

  it.each([
    [['--', 'no-such-program-anywhere'], 'check its command line, and run it by hand'],
    [['--url', 'http://127.0.0.1:1/mcp'], 'check its address'],
  ])('the error of wrap %j does not suggest `doctor`, which does not know the server', async (line, remedy) => {
    covers('WR-9')
    const { code, stderr } = await run(home, ['wrap', ...line])
    expect(code).toBe(3)
    expect(stderr.toLowerCase()).toContain(remedy)
    expect(stderr).not.toContain('doctor')
  })
})
