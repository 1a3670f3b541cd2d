// Converts between node:http messages and web Request and Response objects.

import type { IncomingMessage, ServerResponse } from 'node:http'

/** The request without its body, which stays unread. Undefined if it cannot be a web Request. */
export function headOf(incoming: IncomingMessage): Request | undefined {
  const { url = '/', method = 'GET' } = incoming
  try {
    const { pathname, search } = new URL(url.startsWith('/') ? `http://localhost${url}` : url)
    // A proxy may send an absolute URL. It is reduced to its path.
    incoming.url = `${pathname}${search}`
    return new Request(`http://localhost${incoming.url}`, { method, headers: headersOf(incoming) })
  } catch {
    return undefined
  }
}

/** Reads headers like the web's `Headers`. */
export function headerReader({ headers }: IncomingMessage): Pick<Headers, 'get'> {
  return {
    get(name) {
      const value = headers[name.toLowerCase()]
      return value === undefined ? null : [value].flat().join(', ')
    },
  }
}

function headersOf(incoming: IncomingMessage): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, [value ?? ''].flat().join(', '))
  return headers
}

/** The body as text. If it is too large, rejects with an error that `isTooLarge` recognizes. */
export async function readText(incoming: IncomingMessage, maxBytes: number): Promise<string> {
  const tooLarge = () =>
    Object.assign(new Error(`Payload Too Large: Request body must not exceed ${maxBytes} bytes`), { name: TOO_LARGE })
  if (Number(incoming.headers['content-length']) > maxBytes) throw tooLarge()
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of incoming) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  const [only = Buffer.alloc(0), ...more] = chunks
  return (more.length === 0 ? only : Buffer.concat(chunks)).toString('utf8')
}

/** Creates a web Request when the body has already been read. With an empty text, it has no body. */
export function requestOf(incoming: IncomingMessage, body: string, signal: AbortSignal): Request {
  const { method = 'GET', url = '/' } = incoming
  const init = { method, headers: headersOf(incoming), signal }
  return new Request(`http://localhost${url}`, body === '' ? init : { ...init, body })
}

/** A response, or the JSON text that answers a call. */
export type Answer = { readonly response: Response } | JsonAnswer

export interface JsonAnswer {
  readonly json: string
  readonly status: number
  readonly sessionId?: string
}

export function writeAnswer(answer: Answer, outgoing: ServerResponse): Promise<void> {
  return 'response' in answer ? writeResponse(answer.response, outgoing) : writeJson(answer, outgoing)
}

/** Resolves when the document is handed over to the socket, or the client is gone. */
async function writeJson({ json, status, sessionId }: JsonAnswer, outgoing: ServerResponse): Promise<void> {
  if (outgoing.destroyed) return
  outgoing.writeHead(status, {
    ...(sessionId === undefined ? {} : { 'mcp-session-id': sessionId }),
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(json),
  })
  // A long document must be drained before `end`: an ended response looks delivered although the client has not read
  // it.
  if (!outgoing.write(json)) await Promise.race([drained(outgoing), closed(outgoing)])
  outgoing.end()
}

const TOO_LARGE = 'RequestBodyTooLargeError'

export function isTooLarge(error: unknown): error is Error {
  return error instanceof Error && error.name === TOO_LARGE
}

/** Returns a signal that aborts when the client disconnects before it has its response. */
export function goneSignal(outgoing: ServerResponse): AbortSignal {
  const gone = new AbortController()
  outgoing.once('close', () => {
    if (!outgoing.writableEnded) gone.abort()
  })
  return gone.signal
}

/** Resolves when the response is handed over to the operating system, or the client is gone. */
async function writeResponse(response: Response, outgoing: ServerResponse): Promise<void> {
  const gone = closed(outgoing)
  const finished = new Promise<void>((resolve) => outgoing.once('finish', resolve))
  if (outgoing.destroyed) return
  const headers = Object.fromEntries(response.headers)
  if (headers['content-type'] === 'application/json') {
    const body = Buffer.from(await response.arrayBuffer())
    if (outgoing.destroyed) return
    // One write for the headers and the document.
    outgoing.writeHead(response.status, { ...headers, 'content-length': body.length })
    if (!outgoing.write(body)) await Promise.race([drained(outgoing), gone])
    outgoing.end()
    return void (await Promise.race([finished, gone]))
  }
  outgoing.writeHead(response.status, headers)
  // A stream can be silent for long. The headers tell the client at once that it is open.
  outgoing.flushHeaders()
  for await (const chunk of response.body ?? []) {
    if (outgoing.destroyed) break
    if (!outgoing.write(chunk)) await Promise.race([drained(outgoing), gone])
  }
  outgoing.end()
  await Promise.race([finished, gone])
}

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => outgoing.once('drain', resolve))
}

function closed(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => outgoing.once('close', resolve))
}
