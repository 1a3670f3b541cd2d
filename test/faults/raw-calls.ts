// Sends many calls over a few connections. The official client would be the slowest part of a test with 100,000 calls.

import { Agent, request } from 'node:http'
import type { Message } from '../../src/front/raw-client.fixture.ts'
import { LEGACY } from '../../src/front/raw-client.fixture.ts'

export interface RawCaller {
  /** Resolves with the status, the headers and the messages of the answer. */
  send(body: unknown): Promise<{
    readonly status: number
    readonly headers: NodeJS.Dict<string | string[]>
    readonly messages: readonly Message[]
  }>
  close(): void
}

/** Sends requests of a legacy client over up to this many connections. `headers` name the session. */
export function rawCaller(port: number, headers: Readonly<Record<string, string>>, connections: number): RawCaller {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const all = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': LEGACY,
    ...headers,
  }
  return {
    send: (body) =>
      new Promise((resolve, reject) => {
        const text = JSON.stringify(body)
        const outgoing = request(
          {
            host: '127.0.0.1',
            port,
            path: '/mcp',
            method: 'POST',
            headers: { ...all, 'content-length': Buffer.byteLength(text) },
            agent,
          },
          (response) => {
            let received = ''
            response.setEncoding('utf8').on('data', (chunk: string) => {
              received += chunk
            })
            response.on('error', reject)
            response.on('end', () =>
              resolve({ status: response.statusCode ?? 0, headers: response.headers, messages: messagesIn(received) }),
            )
          },
        )
        outgoing.on('error', reject)
        outgoing.end(text)
      }),
    close: () => agent.destroy(),
  }
}

/** The messages of a JSON answer or an event stream. */
function messagesIn(text: string): readonly Message[] {
  const documents = text.startsWith('{') ? [text] : text.split('\n').filter((line) => line.startsWith('data: {'))
  return documents.map((line) => JSON.parse(line.replace(/^data: /, '')) as Message) // the gateway's own JSON; the tests check it
}
