// Waits for the redirect of a browser on a port of this machine. A redirect with another state is refused.

import { timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { withResolvers } from '../../../core/waiting.ts'

interface Redirect {
  readonly params: URLSearchParams
  reply(isOk: boolean, text: string): void
}

export type Loopback = Awaited<ReturnType<typeof openLoopback>>

const HOST = '127.0.0.1'
const PATH = '/callback'

/** `port`: undefined for any free port. Rejects if the port is in use. */
export async function openLoopback(state: string, port?: number) {
  const { promise: redirected, resolve: receive } = withResolvers<Redirect>()
  const server = createServer((request, response) => {
    const respond = (status: number, text: string) => {
      response.writeHead(status, {
        'content-type': 'text/plain; charset=utf-8',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        connection: 'close',
      })
      response.end(`${text}\n`)
    }
    // Another host name means that a page of another site has led the browser here.
    const isOurs = request.headers.host === new URL(origin).host && URL.canParse(request.url ?? '', origin)
    const url = new URL(isOurs ? (request.url ?? '') : '', origin)
    if (!isOurs || url.pathname !== PATH) return respond(404, 'Not found.')
    if (request.method !== 'GET') return respond(405, 'Only GET is answered.')
    if (!hasState(url.searchParams, state))
      return respond(400, 'This address belongs to another login. Nothing was changed.')
    receive({ params: url.searchParams, reply: (isOk, text) => respond(isOk ? 200 : 400, text) })
  })
  const origin = `http://${HOST}:${await listen(server, port)}`
  return {
    redirectUrl: `${origin}${PATH}`,
    /** Resolves with the first redirect that has the expected state. */
    redirected,
    close() {
      server.close()
      server.closeIdleConnections()
    },
  }
}

/** Compares in constant time. Otherwise another program of this machine could guess the state byte by byte. */
export function hasState(params: URLSearchParams, state: string): boolean {
  const [received, expected] = [Buffer.from(params.get('state') ?? ''), Buffer.from(state)]
  return received.length === expected.length && timingSafeEqual(received, expected)
}

async function listen(server: Server, port = 0): Promise<number> {
  server.listen(port, HOST)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port // it listens on a port
}
