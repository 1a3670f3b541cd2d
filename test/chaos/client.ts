// A client over HTTP with a session of its own. It can disconnect in the middle of its calls.

import { Agent, type ClientRequest, request } from 'node:http'

export interface ChaosClient {
  /** All messages that the gateway sent as the answer to this request. Rejects if the connection broke. */
  call(name: string, args: object): Promise<Exchange>
  /** Breaks all connections. The requests in flight fail. */
  disconnect(): void
}

export interface Exchange {
  readonly id: number
  readonly status: number
  readonly messages: readonly ChaosMessage[]
}

/** The parts of a JSON-RPC response that a chaos run checks. */
export interface ChaosMessage {
  readonly id?: unknown
  readonly result?: { readonly isError?: boolean; readonly structuredContent?: unknown }
  readonly error?: { readonly code: number; readonly message: string }
}

const VERSION = '2025-11-25'
const INITIALIZE = { protocolVersion: VERSION, capabilities: {}, clientInfo: { name: 'chaos', version: '1.0.0' } }

export async function connectChaosClient(port: number, token: string, connections: number): Promise<ChaosClient> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const inFlight = new Set<ClientRequest>()
  let session: string | undefined
  // Every client counts from 1, so that equal ids of different clients are in flight together.
  let lastId = 0
  const send = (body: object): Promise<Omit<Exchange, 'id'>> =>
    new Promise((resolve, reject) => {
      const text = JSON.stringify({ jsonrpc: '2.0', ...body })
      const outgoing = request(
        {
          host: '127.0.0.1',
          port,
          path: '/mcp',
          method: 'POST',
          agent,
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'mcp-protocol-version': VERSION,
            'content-length': Buffer.byteLength(text),
            ...(session === undefined ? {} : { 'mcp-session-id': session }),
          },
        },
        (response) => {
          let received = ''
          response.setEncoding('utf8').on('data', (chunk: string) => {
            received += chunk
          })
          response.on('error', reject)
          response.on('close', () => {
            if (!response.complete) reject(new Error('The connection broke.'))
          })
          response.on('end', () => {
            const id = response.headers['mcp-session-id']
            if (typeof id === 'string') session = id
            resolve({ status: response.statusCode ?? 0, messages: messagesIn(received) })
          })
        },
      )
      inFlight.add(outgoing)
      outgoing.on('error', reject).on('close', () => inFlight.delete(outgoing))
      outgoing.end(text)
    })
  await send({ id: ++lastId, method: 'initialize', params: INITIALIZE })
  await send({ method: 'notifications/initialized' })
  return {
    async call(name, args) {
      const id = ++lastId
      return { id, ...(await send({ id, method: 'tools/call', params: { name, arguments: args } })) }
    },
    disconnect() {
      for (const outgoing of inFlight) outgoing.destroy(new Error('The client has disconnected.'))
      agent.destroy()
    },
  }
}

/** The messages of a JSON answer or of an event stream. */
function messagesIn(text: string): readonly ChaosMessage[] {
  const documents = text.startsWith('{') ? [text] : text.split('\n').filter((line) => line.startsWith('data: {'))
  return documents.map((line) => JSON.parse(line.replace(/^data: /, '')) as ChaosMessage) // the run checks each field it uses
}
