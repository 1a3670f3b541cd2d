// Test fixture: the reference server `everything` over HTTP in its own process, and a modern server in this process.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import { vi } from 'vitest'
import { DEADLINE_MS, listenForTest, reference } from './upstream.fixture.ts'

export interface HttpProcess {
  readonly url: string
  /** Kills the process and waits until it has ended. Can be called twice. */
  kill(): Promise<void>
  restart(): Promise<void>
}

/** Starts the reference server `everything`. The caller must kill it. */
export async function everythingOver(mode: 'streamableHttp' | 'sse'): Promise<HttpProcess> {
  const port = await freePort()
  const { command, args } = reference('everything', mode)
  let child: ChildProcess | undefined
  const start = async () => {
    child = spawn(command, args, { env: { ...process.env, PORT: String(port) }, stdio: 'ignore' })
    await vi.waitUntil(() => accepts(port), { timeout: DEADLINE_MS, interval: 20 })
  }
  const kill = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  await start()
  return { url: `http://127.0.0.1:${port}/${mode === 'sse' ? 'sse' : 'mcp'}`, kill, restart: () => kill().then(start) }
}

interface ModernServer {
  readonly url: string
  /** The headers of each request, in order. */
  readonly headers: readonly IncomingHttpHeaders[]
  /** Adds a tool and notifies subscribers. */
  grow(): void
  /** Breaks the response to the next tool call in the middle. */
  breakNext(): void
}

export async function modernOverHttp(): Promise<ModernServer> {
  const headers: IncomingHttpHeaders[] = []
  const region = { type: 'string', 'x-mcp-header': 'Region' }
  const names = ['where']
  let isBroken = false
  const handler = createMcpHandler(
    () => {
      const server = new Server(
        { name: 'modern-http', version: '1.0.0' },
        { capabilities: { tools: { listChanged: true } } },
      )
      server.setRequestHandler('tools/list', async () => ({
        tools: names.map((name) => ({ name, inputSchema: { type: 'object' as const, properties: { region } } })),
      }))
      server.setRequestHandler('tools/call', async ({ params }) => ({
        content: [{ type: 'text', text: JSON.stringify(params.arguments) }],
      }))
      return server
    },
    { legacy: 'reject' },
  )
  const answer = toNodeHandler(handler)
  const http = createServer((request, response) => {
    headers.push(request.headers)
    if (isBroken && request.headers['mcp-method'] === 'tools/call') {
      isBroken = false
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(': a beginning\n\n', () => response.destroy())
      return
    }
    // A node:http message. The adapter's type only declares its optional fields differently.
    void answer(request as IncomingMessage & { method: string; url: string }, response)
  })
  return {
    url: `${await listenForTest(http)}/mcp`,
    headers,
    grow() {
      names.push(`grown-${names.length}`)
      handler.notify.toolsChanged()
    },
    breakNext() {
      isBroken = true
    },
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  await new Promise((resolve) => server.close(resolve))
  return port
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
