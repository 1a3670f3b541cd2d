// A connection that sends hand-written messages, which a regular client cannot send.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  type Transport,
} from '@modelcontextprotocol/client'
import type { CommandResult } from '../../src/index.ts'
import { createMcpServer } from '../../src/index.ts'
import { serverOptions, type VariantName } from '../fixtures/variants.ts'
import { type Combination, entryPath } from './harness.ts'
import { createMemoryServer } from './memory-server.ts'

/** The parts of a JSON-RPC response that these tests check. */
export interface RawAnswer {
  readonly id?: string | number | null
  readonly result?: { readonly isError?: boolean; readonly structuredContent?: CommandResult }
  readonly error?: { readonly code: number; readonly message: string }
}

export interface FrameConnection {
  /** Sends a tools/call with this text as arguments, even if the text is not valid JSON. */
  call(tool: string, argumentsText: string): Promise<RawAnswer>
  /** Sends this text unchanged. Over stdio it may get no answer. */
  send(text: string): Promise<RawAnswer | undefined>
  close(): Promise<void>
}

interface Wire {
  /** Sends the text and waits for the answer with this id. Without an id, only HTTP returns an answer: the response. */
  exchange(text: string, id?: number, headers?: Readonly<Record<string, string>>): Promise<RawAnswer | undefined>
  close(): Promise<void>
}

const clientInfo = { name: 'raw', version: '1.0.0' }
const META = {
  [PROTOCOL_VERSION_META_KEY]: '2026-07-28',
  [CLIENT_INFO_META_KEY]: clientInfo,
  [CLIENT_CAPABILITIES_META_KEY]: {},
}
const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }

export async function openRaw({ transport, era }: Combination, variant: VariantName): Promise<FrameConnection> {
  const wire = await { memory: openMemory, stdio: openStdio, http: openHttp }[transport](variant)
  let lastId = 0
  if (era === 'legacy') {
    const id = ++lastId
    await wire.exchange(JSON.stringify({ jsonrpc: '2.0', id, method: 'initialize', params: INITIALIZE }), id)
    await wire.exchange(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))
  }
  return {
    async call(tool, argumentsText) {
      const id = ++lastId
      const meta = era === 'modern' ? `,"_meta":${JSON.stringify(META)}` : ''
      const params = `{"name":${JSON.stringify(tool)},"arguments":${argumentsText}${meta}}`
      const headers: Record<string, string> =
        era === 'modern'
          ? { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': tool }
          : { 'mcp-protocol-version': '2025-11-25' }
      const text = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}`
      return (await wire.exchange(text, id, headers)) ?? {}
    },
    send: (text) => wire.exchange(text),
    close: () => wire.close(),
  }
}

/** In-memory transports pass values, not text, so the text is parsed first. */
async function openMemory(variant: VariantName): Promise<Wire> {
  const { options, attach } = serverOptions(variant, 'individual')
  const server = createMemoryServer(options)
  attach(server)
  const end: Transport = server.connect()
  const inbox = createInbox()
  end.onmessage = (message) => inbox.deliver(message)
  await end.start()
  return {
    async exchange(text, id) {
      const answer = id === undefined ? undefined : inbox.next(id)
      await end.send(JSON.parse(text))
      return answer
    },
    async close() {
      await end.close()
      await server.stop()
    },
  }
}

async function openStdio(variant: VariantName): Promise<Wire> {
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [entryPath(), variant, 'individual'])
  const inbox = createInbox()
  createInterface({ input: child.stdout }).on('line', (line) => inbox.deliver(JSON.parse(line)))
  return {
    async exchange(text, id) {
      const answer = id === undefined ? undefined : inbox.next(id)
      child.stdin.write(`${text}\n`)
      return answer
    },
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.stdin.end()
      await ended
    },
  }
}

async function openHttp(variant: VariantName): Promise<Wire> {
  const { options, attach } = serverOptions(variant, 'individual')
  const server = createMcpServer({ ...options, transport: 'http', port: 0 })
  attach(server)
  await server.start()
  let session: string | null = null
  return {
    async exchange(text, id, headers) {
      const response = await fetch(`${server.getUrl()}/mcp`, {
        method: 'POST',
        body: text,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(session === null ? {} : { 'mcp-session-id': session }),
          ...headers,
        },
      })
      session = response.headers.get('mcp-session-id') ?? session
      const body = await response.text()
      const events = body
        .split('\n')
        .flatMap((line) => (line.startsWith('data: {') ? [line.slice('data: '.length)] : []))
      const messages: readonly RawAnswer[] = (events.length > 0 ? events : [body || '{}']).map((one) => JSON.parse(one))
      return messages.find((message) => id === undefined || message.id === id) ?? messages[0]
    },
    close: () => server.stop(),
  }
}

function createInbox() {
  const waiting = new Map<number, (answer: RawAnswer) => void>()
  return {
    next: (id: number) => new Promise<RawAnswer>((resolve) => waiting.set(id, resolve)),
    deliver(message: unknown) {
      const answer = message as RawAnswer // every message of a server is an object
      if (typeof answer.id === 'number') waiting.get(answer.id)?.(answer)
    },
  }
}
