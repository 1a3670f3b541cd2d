import { Client } from '@modelcontextprotocol/client'
import { InMemoryTransport, inputRequired, McpServer, Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { createMemoryStore } from '../storage/memory.ts'
import { type LazyToolsOptions, lazyTools } from './lazy-tools.ts'

const eras = ['legacy', 'modern'] as const
type Era = (typeof eras)[number]

/** A server with one tool, which sends a log message and progress. */
function createNotes(): McpServer {
  const server = new McpServer(
    { name: 'notes', version: '2.1.0' },
    { capabilities: { logging: {} }, instructions: 'Notes.' },
  )
  server.registerTool(
    'note_add',
    {
      title: 'Add a note',
      description: 'Adds a note.',
      inputSchema: z.object({ text: z.string() }),
      outputSchema: z.object({ id: z.number() }),
      annotations: { idempotentHint: false },
    },
    async ({ text }, context) => {
      await context.mcpReq.log('info', `adding ${text}`)
      const progressToken = context.mcpReq._meta?.progressToken
      if (progressToken !== undefined) {
        await context.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1 } })
      }
      return { content: [{ type: 'text', text: 'added' }], structuredContent: { id: 7 } }
    },
  )
  return server
}

/** Adds a tool that asks the client for input. */
function addAsking(server: McpServer): McpServer {
  server.registerTool('note_confirm', { description: 'Asks first.' }, ({ mcpReq }) => {
    const answer = mcpReq.inputResponses?.sure
    if (answer !== undefined) return { content: [{ type: 'text', text: JSON.stringify(answer) }] }
    const question = inputRequired.elicit({
      message: 'Sure?',
      requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } } },
    })
    return inputRequired({ inputRequests: { sure: question } })
  })
  return server
}

async function connect(era: Era, make: () => McpServer | Server) {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const handle = serveStdio(make, { transport: far })
  const heard: string[] = []
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
    },
  )
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { ok: true } }))
  client.setNotificationHandler('notifications/message', ({ params }) => void heard.push(`log ${params.data}`))
  client.setNotificationHandler(
    'notifications/progress',
    ({ params }) => void heard.push(`progress ${params.progress}`),
  )
  client.setNotificationHandler('notifications/tools/list_changed', () => void heard.push('changed'))
  await client.connect(near)
  onTestFinished(async () => {
    await client.close()
    await handle.close()
  })
  const names = async () => (await client.listTools(undefined, { cacheMode: 'bypass' })).tools.map(({ name }) => name)
  return { client, heard, names }
}

describe.each(eras)('lazyTools, a %s client', (era) => {
  const lazily = (options: LazyToolsOptions, make: () => McpServer = createNotes) =>
    connect(era, () => lazyTools(make(), options))

  it('lists the tools of the strategy, and passes on the logs and progress of a tool called through them', async () => {
    const { client, heard, names } = await lazily({ strategy: 'lazy' })
    expect(await names()).toEqual(['afd-discover', 'afd-detail', 'afd-call', 'afd-batch', 'afd-pipe'])
    const { structuredContent } = await client.callTool({
      name: 'afd-call',
      arguments: { command: 'note_add', input: { text: 'milk' } },
      _meta: { progressToken: 'mine', 'io.modelcontextprotocol/logLevel': 'debug' },
    })
    expect(structuredContent).toMatchObject({ id: 7 })
    await vi.waitFor(() => expect(heard).toEqual(['log adding milk', 'progress 1']))
  })

  it('lists tools unchanged under individual, and keeps the name, version and instructions of the server', async () => {
    const { client } = await lazily({ strategy: 'individual' })
    const [tool] = (await client.listTools()).tools
    expect(tool).toMatchObject({
      name: 'note_add',
      title: 'Add a note',
      outputSchema: { type: 'object' },
      annotations: { idempotentHint: false },
    })
    expect(client.getServerVersion()).toMatchObject({ name: 'notes', version: '2.1.0' })
    expect(client.getInstructions()).toBe('Notes.')
  })

  it('appends the instructions of the strategy to those of the server, and uses the name of the server as prefix', async () => {
    const { client, names } = await lazily({ strategy: 'capabilities', strategyOptions: { listing: 'hidden' } })
    expect(client.getInstructions()).toMatch(/^Notes\.\n\n1\. notes_capabilities shows what this server can do/)
    expect(await names()).toEqual(['notes_capabilities', 'notes_tool_schema'])
  })

  it('refuses invalid arguments, and suggests a similar name for an unknown tool', async () => {
    const { client } = await lazily({ strategy: 'individual' })
    const wrong = await client.callTool({ name: 'note_add', arguments: { text: 1 } })
    expect(wrong).toMatchObject({ isError: true, structuredContent: { error: { code: 'VALIDATION_ERROR' } } })
    const unknown = await client.callTool({ name: 'note_ad', arguments: {} })
    expect(JSON.stringify(unknown.content)).toContain('note_add')
  })

  it('neither lists, suggests nor calls a hidden tool', async () => {
    const { client, names } = await lazily({ strategy: 'individual', hide: ['*_add'] }, () => addAsking(createNotes()))
    expect(await names()).toEqual(['note_confirm'])
    const refused = await client.callTool({ name: 'note_add', arguments: { text: 'milk' } })
    expect(refused).toMatchObject({ isError: true, structuredContent: { error: { code: 'TOOL_NOT_FOUND' } } })
    const similar = await client.callTool({ name: 'note_ad', arguments: {} })
    expect(JSON.stringify(similar.content)).not.toContain('note_add')
  })

  it('lists tools that are registered later, and notifies the client once', async () => {
    const made: McpServer[] = []
    const make = () => {
      const server = createNotes()
      made.push(server)
      return server
    }
    const { client, heard, names } = await lazily({ strategy: 'individual' }, make)
    expect(await names()).toEqual(['note_add'])
    if (era === 'modern') await client.listen({ toolsListChanged: true })
    for (const server of made) if (server.isConnected()) addAsking(server)
    await vi.waitFor(() => expect(heard).toEqual(['changed']))
    expect(await names()).toEqual(['note_add', 'note_confirm'])
  })

  it('lets a tool ask for input when it is called directly and when it is called through the strategy', async () => {
    const { client } = await lazily({ strategy: 'lazy' }, () => addAsking(createNotes()))
    for (const call of [
      { name: 'note_confirm', arguments: {} },
      { name: 'afd-call', arguments: { command: 'note_confirm', input: {} } },
    ]) {
      expect(JSON.stringify((await client.callTool(call)).content)).toMatch(/accept/)
    }
  })

  it('cancels a tool when its client no longer waits for it', async () => {
    let isCancelled = false
    const make = () => {
      const server = createNotes()
      server.registerTool('note_wait', {}, async ({ mcpReq }) => {
        await new Promise<void>((resolve) => mcpReq.signal.addEventListener('abort', () => resolve(), { once: true }))
        isCancelled = true
        return { content: [] }
      })
      return server
    }
    const { client } = await lazily({ strategy: 'individual' }, make)
    await client.listTools()
    const giveUp = new AbortController()
    const waiting = client.callTool({ name: 'note_wait', arguments: {} }, { signal: giveUp.signal })
    setTimeout(() => giveUp.abort(), 50)
    await expect(waiting).rejects.toThrow()
    await vi.waitFor(() => expect(isCancelled).toBe(true))
  })

  it('lists the tools that a caller has enabled under manage, with a given store', async () => {
    const { client, names } = await lazily({ strategy: 'manage', store: createMemoryStore() })
    expect(await names()).toEqual(['manage_tools'])
    await client.callTool({ name: 'manage_tools', arguments: { action: 'enable', tools: 'note_add' } })
    expect(await names()).toEqual(['manage_tools', 'note_add'])
  })

  it('lists and calls the tools of a low-level server that sets its handlers later', async () => {
    const { client, names } = await connect(era, () => {
      const server = lazyTools(new Server({ name: 'low', version: '1.0.0' }, { capabilities: { tools: {} } }), {
        strategy: 'individual',
      })
      server.setRequestHandler('tools/list', () => ({ tools: [{ name: 'ping_it', inputSchema: { type: 'object' } }] }))
      server.setRequestHandler('tools/call', ({ params }) => ({ content: [{ type: 'text', text: params.name }] }))
      return server
    })
    expect(await names()).toEqual(['ping_it'])
    expect((await client.callTool({ name: 'ping_it' })).content).toEqual([{ type: 'text', text: 'ping_it' }])
  })
})

it.each([
  ['an empty object', {}, 'an object'],
  ['an object with some of its methods', { registerCapabilities() {}, getCapabilities: () => ({}) }, 'an object'],
  ['an object around an empty object', { server: {}, registerTool() {} }, 'an object'],
  ['an object around a server, without registerTool', { server: createNotes().server }, 'an object'],
  ['null', null, 'null'],
  ['a text', 'notes', "'notes'"],
  ['nothing', undefined, 'nothing'],
])('refuses %s instead of a server of the SDK, and names what it expects', (_what, server, found) => {
  // JavaScript callers can pass it.
  expect(() => lazyTools(server as unknown as Server)).toThrow(
    expect.objectContaining({
      code: 'INVALID_OPTIONS',
      message: expect.stringMatching(
        new RegExp(
          `^Invalid server: expected a server of the official SDK, .* found ${found}.* Give an McpServer or a Server of `,
        ),
      ),
    }),
  )
})
