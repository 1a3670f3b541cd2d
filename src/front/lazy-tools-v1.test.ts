// lazyTools with a server of SDK v1, which many servers still use.

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { withResolvers } from '../core/waiting.ts'
import { type LazyToolsOptions, lazyTools } from './lazy-tools.ts'

function createNotes(): McpServer {
  const server = new McpServer({ name: 'notes', version: '2.1.0' }, { instructions: 'Notes.' })
  server.registerTool(
    'note_add',
    { title: 'Add a note', description: 'Adds a note.', inputSchema: { text: z.string() } },
    async ({ text }, { sendNotification, _meta }) => {
      const progressToken = _meta?.progressToken
      if (progressToken !== undefined) {
        await sendNotification({ method: 'notifications/progress', params: { progressToken, progress: 1 } })
      }
      return { content: [{ type: 'text', text: `added ${text}` }] }
    },
  )
  return server
}

function createPing(): Server {
  const server = new Server({ name: 'low', version: '1.0.0' }, { capabilities: { tools: {} } })
  const tools = [{ name: 'ping_it', inputSchema: { type: 'object' as const } }]
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({ content: [{ type: 'text', text: params.name }] }))
  return server
}

async function connect(server: McpServer | Server) {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const client = new Client({ name: 'test', version: '1.0.0' })
  const changes: string[] = []
  client.fallbackNotificationHandler = async ({ method }) => void changes.push(method)
  await Promise.all([server.connect(far), client.connect(near)])
  onTestFinished(() => client.close())
  const names = async () => (await client.listTools()).tools.map(({ name }) => name)
  return { client, names, changes }
}

describe('lazyTools over a server of SDK v1', () => {
  const lazily = (options: LazyToolsOptions) => connect(lazyTools(createNotes(), options))

  it('lists the tools of the strategy, and calls the others through them', async () => {
    const { client, names } = await lazily({ strategy: 'lazy' })
    expect(await names()).toEqual(['afd-discover', 'afd-detail', 'afd-call', 'afd-batch', 'afd-pipe'])
    const progress: number[] = []
    const result = await client.callTool(
      { name: 'afd-call', arguments: { command: 'note_add', input: { text: 'milk' } } },
      undefined,
      { onprogress: (report) => void progress.push(report.progress) },
    )
    expect(result.content).toEqual([{ type: 'text', text: 'added milk' }])
    await vi.waitFor(() => expect(progress).toEqual([1]))
  })

  it('lists tools unchanged under individual, and keeps the name, version and instructions of the server', async () => {
    const { client } = await lazily({ strategy: 'individual' })
    expect((await client.listTools()).tools).toMatchObject([{ name: 'note_add', title: 'Add a note' }])
    expect(client.getServerVersion()).toMatchObject({ name: 'notes', version: '2.1.0' })
    expect(client.getInstructions()).toBe('Notes.')
  })

  it('refuses invalid arguments with VALIDATION_ERROR', async () => {
    const { client } = await lazily({ strategy: 'individual' })
    const wrong = await client.callTool({ name: 'note_add', arguments: { text: 1 } })
    expect(wrong).toMatchObject({ isError: true, structuredContent: { error: { code: 'VALIDATION_ERROR' } } })
  })

  it('notifies its client when the client enables a tool under manage', async () => {
    const { client, names, changes } = await lazily({ strategy: 'manage' })
    expect(await names()).toEqual(['manage_tools'])
    await client.callTool({ name: 'manage_tools', arguments: { action: 'enable', tools: 'note_add' } })
    expect(changes).toContain('notifications/tools/list_changed')
    expect(await names()).toEqual(['manage_tools', 'note_add'])
  })

  it('lists tools that are registered later', async () => {
    const server = lazyTools(createNotes(), { strategy: 'individual' })
    const { names } = await connect(server)
    expect(await names()).toEqual(['note_add'])
    server.registerTool('note_list', {}, () => ({ content: [] }))
    expect(await names()).toEqual(['note_add', 'note_list'])
  })

  it('cancels a tool when its client no longer waits for it', async () => {
    const server = lazyTools(createNotes(), { strategy: 'individual' })
    const cancelled = withResolvers()
    const started = withResolvers()
    server.registerTool('note_wait', {}, async ({ signal }) => {
      started.resolve()
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
      cancelled.resolve()
      return { content: [] }
    })
    const { client } = await connect(server)
    const giveUp = new AbortController()
    const waiting = client.callTool({ name: 'note_wait', arguments: {} }, undefined, { signal: giveUp.signal })
    await started.promise
    giveUp.abort()
    await expect(waiting).rejects.toThrow()
    await cancelled.promise
  })

  it('lists and calls the tools of a low-level server', async () => {
    const { client, names } = await connect(lazyTools(createPing(), { strategy: 'individual' }))
    expect(await names()).toEqual(['ping_it'])
    expect((await client.callTool({ name: 'ping_it' })).content).toEqual([{ type: 'text', text: 'ping_it' }])
  })
})
