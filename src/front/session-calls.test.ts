// Calls within a legacy session over HTTP: one JSON document, or a stream if messages precede the answer.

import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { success } from '../core/result.ts'
import { defineCommand } from '../sources/commands/define.ts'
import { createCommandServer } from './command-server.ts'
import { serveHttp } from './http.ts'

const HELLO = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }

let waitSignal: AbortSignal | undefined
let runs = 0

const commands = [
  defineCommand({
    name: 'echo-say',
    description: 'Says it',
    input: z.object({ text: z.string() }),
    handler: async ({ text }) => success(text),
  }),
  defineCommand({
    name: 'echo-steps',
    description: 'Reports its steps',
    input: z.object({}),
    async handler(_input, { progress }) {
      runs++
      progress(1, 2)
      await delay(10)
      progress(2, 2)
      return success('done')
    },
  }),
  defineCommand({
    name: 'echo-wait',
    description: 'Waits until it is cancelled',
    input: z.object({}),
    async handler(_input, { signal }) {
      waitSignal = signal
      await delay(60_000, undefined, { signal })
      return success(null)
    },
  }),
]

async function open() {
  const server = createCommandServer({ name: 'test', version: '1.0.0', commands, toolStrategy: 'individual' })
  const front = server.createFront()
  const door = await serveHttp({ ...front, host: '127.0.0.1', port: 0 })
  onTestFinished(() => door.close(0))
  let session = ''
  const post = (body: object, headers: Record<string, string> = {}, signal?: AbortSignal) =>
    fetch(`http://127.0.0.1:${door.port}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(session === '' ? {} : { 'mcp-session-id': session }),
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...body }),
      ...(signal === undefined ? {} : { signal }),
    })
  const hello = await post({ id: 1, method: 'initialize', params: HELLO })
  session = hello.headers.get('mcp-session-id') ?? ''
  await hello.text()
  await post({ method: 'notifications/initialized' })
  const call = (id: number, params: object, headers?: Record<string, string>, signal?: AbortSignal) =>
    post({ id, method: 'tools/call', params }, headers, signal)
  return { call, post, session }
}

const say = { name: 'echo-say', arguments: { text: 'hi' } }

describe('a call in a legacy session', () => {
  it('answers with one JSON document when no message precedes the answer', async () => {
    const { call, session } = await open()
    const response = await call(2, say)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('mcp-session-id')).toBe(session)
    expect(await response.json()).toMatchObject({ id: 2, result: { structuredContent: { data: 'hi' } } })
  })

  it('answers with a stream of all messages in order when the call reports progress, and runs the call once', async () => {
    const { call } = await open()
    const response = await call(2, { name: 'echo-steps', _meta: { progressToken: 'p' } })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const events = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'))
    const messages = events.map((line) => JSON.parse(line.slice(6)))
    expect(messages).toMatchObject([
      { method: 'notifications/progress', params: { progress: 1 } },
      { method: 'notifications/progress', params: { progress: 2 } },
      { id: 2, result: { structuredContent: { data: 'done' } } },
    ])
    expect(runs).toBe(1)
  })

  it('answers a cancelled call with an error and aborts its signal', async () => {
    const { call, post } = await open()
    const answer = call(2, { name: 'echo-wait' })
    await vi.waitFor(() => expect(waitSignal?.aborted).toBe(false))
    await post({ method: 'notifications/cancelled', params: { requestId: 2, reason: 'enough' } })
    expect(await (await answer).json()).toMatchObject({ id: 2, error: { message: 'Cancelled' } })
    expect(waitSignal?.aborted).toBe(true)
    waitSignal = undefined
  })

  it('cancels the call when its client hangs up', async () => {
    const { call } = await open()
    const hangUp = new AbortController()
    const answer = call(2, { name: 'echo-wait' }, {}, hangUp.signal)
    await vi.waitFor(() => expect(waitSignal?.aborted).toBe(false))
    hangUp.abort()
    await expect(answer).rejects.toThrow()
    await vi.waitFor(() => expect(waitSignal?.aborted).toBe(true))
  })

  it.each([
    ['in a session that does not exist', { 'mcp-session-id': 'none' }, 404],
    ['with a version that is not supported', { 'mcp-protocol-version': '1999-01-01' }, 400],
    ['that does not accept a stream', { accept: 'application/json' }, 406],
    ['that is not JSON', { 'content-type': 'text/plain' }, 415],
    ['from a page of another site', { origin: 'https://evil.example' }, 403],
  ])('refuses a call %s', async (_, headers, status) => {
    const { call } = await open()
    expect((await call(2, say, headers)).status).toBe(status)
  })
})
