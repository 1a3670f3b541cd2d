// Test fixture: the official client in either era.

import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { onTestFinished } from 'vitest'
import type { CommandResult } from '../core/result.ts'
import { MODERN } from './raw-client.fixture.ts'

export type ClientEra = 'legacy' | 'modern'
export const eras: readonly ClientEra[] = ['legacy', 'modern']

interface TestClient {
  readonly client: Client
  readonly transport: Transport
  /** All notifications in order of arrival. */
  readonly heard: readonly { readonly method: string; readonly params?: unknown }[]
  call(name: string, args?: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<CommandResult>
}

interface CallOptions {
  readonly signal?: AbortSignal
  readonly meta?: Readonly<Record<string, unknown>>
}

export async function connectClient(transport: Transport, era: ClientEra): Promise<TestClient> {
  const heard: { method: string; params?: unknown }[] = []
  const client = new Client(
    { name: 'test-client', version: '1.0.0' },
    { capabilities: {}, ...(era === 'modern' ? { versionNegotiation: { mode: { pin: MODERN } } } : {}) },
  )
  client.fallbackNotificationHandler = async (notification) => void heard.push(notification)
  for (const method of [
    'notifications/progress',
    'notifications/message',
    'notifications/tools/list_changed',
  ] as const) {
    client.setNotificationHandler(method, (notification) => void heard.push(notification))
  }
  await client.connect(transport)
  onTestFinished(() => client.close())
  return {
    client,
    transport,
    heard,
    async call(name, args = {}, { signal, meta } = {}) {
      const result = await client.callTool(
        { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) },
        signal === undefined ? {} : { signal },
      )
      return result.structuredContent as unknown as CommandResult // set by toWire; the tests check it
    },
  }
}

export function httpTransport(port: number, token?: string): StreamableHTTPClientTransport {
  const requestInit = token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }
  return new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), { requestInit })
}

export function connectHttp(port: number, era: ClientEra, token?: string): Promise<TestClient> {
  return connectClient(httpTransport(port, token), era)
}
