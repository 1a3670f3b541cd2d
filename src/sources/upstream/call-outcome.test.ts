import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, it, onTestFinished } from 'vitest'
import { describeNetworkError, isNotConnected, outcomeOf, redirectIn } from './call-outcome.ts'

const createClient = () => new Client({ name: 'test', version: '1' })

async function urlOf(answer: RequestListener): Promise<URL> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`) // it listens on a port
}

/** The error that the SDK's client throws if the server answers in this way. */
async function errorOf(answer: RequestListener): Promise<Error> {
  const transport = new StreamableHTTPClientTransport(await urlOf(answer))
  const thrown: unknown = await createClient()
    .connect(transport, { prior: { kind: 'legacy' } })
    .catch((error: unknown) => error)
  if (thrown instanceof Error) return thrown
  throw new Error('the client is connected')
}

it('recognizes the error of the SDK for a request without an open connection', async () => {
  const thrown: unknown = await createClient()
    .request({ method: 'tools/list' })
    .catch((error: unknown) => error)
  expect(thrown instanceof Error && isNotConnected(thrown)).toBe(true)
})

it('finds the text about a redirect to another origin in the error of the SDK', async () => {
  const error = await errorOf((_request, response) =>
    response.writeHead(307, { location: 'http://127.0.0.2:1/other' }).end(),
  )
  expect(redirectIn(error)).toBe(' (Redirect to http://127.0.0.2:1/other not followed)')
})

it('finds no redirect in the error for another answer', async () => {
  const error = await errorOf((_request, response) => response.writeHead(400).end('no'))
  expect(redirectIn(error)).toBe('')
  expect(isNotConnected(error)).toBe(false)
})

it('a refusal with HTTP 400 ends a session only if its body is about the session', async () => {
  const refusal = (body: string) => errorOf((_request, response) => response.writeHead(400).end(body))
  const ended = await refusal('{"error": {"message": "Bad Request: No valid session ID provided"}}')
  expect(outcomeOf(ended, true)).toMatchObject({ kind: 'lost', taken: false, isSessionOver: true })
  expect(outcomeOf(ended, false).kind).toBe('refused')
  expect(outcomeOf(await refusal('no such tool'), true).kind).toBe('refused')
})

it.each(['{"jsonrpc":"2.0","id":0,"result":null}', '{"jsonrpc":"2.0","id":0,"error":"text"}', '[1]'])(
  'the result is invalid if a server over HTTP answers with %s',
  async (body) => {
    const error = await errorOf((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(body),
    )
    const reason = 'its answer is not a message of the protocol'
    expect(outcomeOf(error, false)).toEqual({ kind: 'refused', reason, isInvalidResult: true })
  },
)

const refused = (address: string) =>
  Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', address, port: 3999 })

it.each([
  [refused('127.0.0.1'), 'no program listens at 127.0.0.1:3999 (ECONNREFUSED)'],
  // For `localhost`, Node tries two addresses.
  [
    Object.assign(new AggregateError([refused('::1'), refused('127.0.0.1')]), { code: 'ECONNREFUSED' }),
    'no program listens at [::1]:3999 (ECONNREFUSED)',
  ],
  [
    Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND', hostname: 'nosuch.invalid' }),
    "there is no host 'nosuch.invalid' (ENOTFOUND)",
  ],
  [
    Object.assign(new Error('getaddrinfo'), { code: 'EAI_AGAIN', hostname: 'nosuch.invalid' }),
    "the address of the host 'nosuch.invalid' cannot be looked up (EAI_AGAIN)",
  ],
  [new Error('other side closed'), 'fetch failed (other side closed)'],
])('describes the network error %s as %j', (cause, text) => {
  expect(describeNetworkError(new TypeError('fetch failed', { cause }))).toBe(text)
})
