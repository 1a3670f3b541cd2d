// Serves the fixture on the plain SDK: over stdio, or on an HTTP port in both protocol eras until SIGTERM.

import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } from '@modelcontextprotocol/node'
import {
  createMcpHandler,
  type EventStore,
  hostHeaderValidationResponse,
  isLegacyRequest,
  type JSONRPCMessage,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createFixture, createState, type FixtureState } from './server.ts'

const state = createState()
if (process.argv[2] === 'stdio') serveStdio(() => createNotifyingFixture(state))
else await serveHttp(Number(process.argv[2] ?? 0))

/** A server that sends list_changed notifications to its client. */
function createNotifyingFixture({ listeners, added }: FixtureState) {
  const fixture = createFixture({ listeners, added })
  const { server } = fixture
  const notify = (kind: 'tools' | 'prompts') =>
    void (kind === 'tools' ? server.sendToolListChanged() : server.sendPromptListChanged()).catch(() => {})
  listeners.add(notify)
  server.onclose = () => listeners.delete(notify)
  return fixture
}

async function serveHttp(port: number): Promise<void> {
  const modern = createMcpHandler(() => createFixture(state), { legacy: 'reject' })
  const answerModern = toNodeHandler(modern)
  state.listeners.add((kind) => (kind === 'tools' ? modern.notify.toolsChanged() : modern.notify.promptsChanged()))
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>()
  const open = async () => {
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      eventStore: createEvents(),
      retryInterval: 1_000,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    })
    await createNotifyingFixture(state).connect(transport)
    return transport
  }
  const http = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer) // a request's body comes in buffers
    const body = parseJson(Buffer.concat(chunks).toString('utf8'))
    const head = await toWebRequest(incoming as Parameters<typeof toWebRequest>[0], body) // only `undefined` differs
    const refused =
      hostHeaderValidationResponse(head, localhostAllowedHostnames()) ??
      originValidationResponse(head, localhostAllowedOrigins())
    if (refused !== undefined) return void outgoing.writeHead(refused.status).end(await refused.text())
    if (!(await isLegacyRequest(head, body))) return answerModern(incoming as never, outgoing as never, body) // as above
    const id = incoming.headers['mcp-session-id']
    const known = typeof id === 'string' ? sessions.get(id) : undefined
    if (id !== undefined && known === undefined) return void outgoing.writeHead(404).end('Session not found')
    const transport = known ?? (await open())
    return transport.handleRequest(incoming as never, outgoing as never, body) // as above
  })
  http.listen(port, '127.0.0.1', () => {
    const address = http.address()
    console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : port}/mcp`)
  })
  process.once('SIGTERM', () => process.exit(0))
}

function parseJson(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

function createEvents(): EventStore {
  const events: { readonly id: string; readonly streamId: string; readonly message: JSONRPCMessage }[] = []
  return {
    async storeEvent(streamId, message) {
      const id = `${streamId}_${events.length}`
      events.push({ id, streamId, message })
      return id
    },
    async replayEventsAfter(lastId, { send }) {
      const position = events.findIndex(({ id }) => id === lastId)
      const streamId = events[position]?.streamId ?? ''
      for (const event of events.slice(position + 1)) {
        const isReal = event.streamId === streamId && Object.keys(event.message).length > 0
        if (isReal) await send(event.id, event.message)
      }
      return streamId
    },
  }
}
