// Test fixture: an upstream server behind real front doors, and clients that answer its requests.

import { PassThrough } from 'node:stream'
import { Client, type ClientCapabilities, type Transport } from '@modelcontextprotocol/client'
import { onTestFinished } from 'vitest'
import type { Connection } from '../config/server-config.ts'
import { createCrib } from '../crib/crib.ts'
import { openWrap, type WrapOptions } from '../crib/wrap.ts'
import { sourceOf, type TestedOptions, type TestedSource } from '../sources/upstream/upstream.fixture.ts'
import { createActivity } from './activity.ts'
import { serveConnection } from './connection.ts'
import { until } from './door.fixture.ts'
import type { FrontOptions, ToolCallEvent } from './front-options.ts'
import { serveHttp } from './http.ts'
import { MODERN } from './raw-client.fixture.ts'
import { type ClientEra, httpTransport } from './sdk-client.fixture.ts'
import { createStdioTransport } from './stdio-transport.ts'
import { frontOf } from './wrap-server.ts'

interface TestGateway extends TestedSource {
  readonly front: FrontOptions
  readonly events: readonly ToolCallEvent[]
  readonly errors: readonly Error[]
  counts(): Promise<unknown>
}

/** A crib with one server as its source. Waits until the tool is listed. The tools keep their own names. */
export async function gatewayTo(
  connection: Connection,
  tool: string,
  options: TestedOptions = {},
): Promise<TestGateway> {
  const tested = sourceOf(connection, options)
  const events: ToolCallEvent[] = []
  const errors: Error[] = []
  const crib = createCrib({
    about: { name: 'gateway', version: '1.0.0' },
    sources: [tested.source],
    strategy: 'individual',
  })
  const caller = { principal: 'test', era: 'direct', transport: 'direct' } as const
  const request = { caller, signal: new AbortController().signal }
  await tested.source.ensure(request.signal)
  await until(`the tool ${tool} is known`, async () => (await crib.list(request)).some(({ name }) => name === tool))
  return {
    ...tested,
    front: {
      crib,
      activity: createActivity(),
      onToolCall: (event) => void events.push(event),
      onError: (error) => void errors.push(error),
    },
    events,
    errors,
    counts: async () => (await crib.call('counts', {}, request)).data,
  }
}

interface WrappedFront {
  readonly front: FrontOptions
  /** The problems that were reported. */
  readonly problems: readonly string[]
}

/** Wraps a server and lists its tools unchanged. The server ends with the test. */
export async function wrapFor(connection: Connection, options: Partial<WrapOptions> = {}): Promise<WrappedFront> {
  const problems: string[] = []
  const wrapped = await openWrap(
    {
      connection,
      strategy: 'individual',
      env: process.env,
      clientInfo: { name: 'toolcrib-test', version: '1.0.0' },
      onProblem: (reason) => void problems.push(reason),
      ...options,
    },
    new AbortController().signal,
  )
  onTestFinished(() => wrapped[Symbol.asyncDispose]())
  return { front: frontOf(wrapped, (error) => void problems.push(error.message)), problems }
}

export const doors = ['stdio', 'http'] as const
type DoorKind = (typeof doors)[number]

/** Returns a function that makes the transport of a client. All clients share an HTTP door; each has its own stdio. */
export async function openTo({ front }: Pick<TestGateway, 'front'>, kind: DoorKind): Promise<() => Transport> {
  if (kind === 'http') {
    const door = await serveHttp({ ...front, host: '127.0.0.1', port: 0 })
    onTestFinished(() => door.close(0))
    return () => httpTransport(door.port)
  }
  return () => {
    const [up, down] = [new PassThrough(), new PassThrough()]
    const maxMessageBytes = 1_000_000
    const connection = serveConnection({
      ...front,
      transport: createStdioTransport({ input: up, output: down, maxMessageBytes }),
      kind: 'stdio',
    })
    onTestFinished(() => connection.close())
    const near = createStdioTransport({ input: down, output: up, maxMessageBytes })
    const close = near.close
    // A process that ends also closes its pipes.
    near.close = async () => {
      up.end()
      await close()
    }
    return near
  }
}

interface ReceivedRequest {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

export type Reply = (asked: ReceivedRequest, signal: AbortSignal) => unknown

interface AnsweringClient {
  readonly client: Client
  /** The requests that the server sent, in order. */
  readonly asked: readonly ReceivedRequest[]
  /** The requests and notifications that the server sent, in order, in short form. */
  readonly heard: readonly string[]
  call(name: string, args?: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<unknown>
}

const ALL: ClientCapabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }

/** A client that answers the server with `reply`. `call` returns the text of the result, parsed if it is JSON. */
export async function connectAnsweringClient(
  transport: Transport,
  era: ClientEra,
  reply: Reply,
  capabilities: ClientCapabilities = ALL,
): Promise<AnsweringClient> {
  const asked: ReceivedRequest[] = []
  const heard: string[] = []
  const client = new Client(
    { name: 'asked-client', version: '1.0.0' },
    { capabilities, ...(era === 'modern' ? { versionNegotiation: { mode: { pin: MODERN } } } : {}) },
  )
  const answer = (method: string, params: unknown, signal: AbortSignal) => {
    const one: ReceivedRequest = { method, params: (params ?? {}) as ReceivedRequest['params'] } // parsed by the SDK
    asked.push(one)
    heard.push(`asked ${method}`)
    return reply(one, signal) as never // the test decides what to reply, valid or not
  }
  for (const method of ['elicitation/create', 'sampling/createMessage', 'roots/list'] as const) {
    const name = method.split('/')[0]
    if (name === undefined || !Object.hasOwn(capabilities, name)) continue
    client.setRequestHandler(method, ({ params }, { mcpReq }) => answer(method, params, mcpReq.signal))
  }
  client.setNotificationHandler(
    'notifications/progress',
    ({ params }) => void heard.push(`progress ${params.progress}`),
  )
  client.setNotificationHandler('notifications/message', ({ params }) => void heard.push(`log ${params.data}`))
  await client.connect(transport)
  onTestFinished(() => client.close())
  return {
    client,
    asked,
    heard,
    async call(name, args = {}, signal) {
      const _meta = { progressToken: 'mine', 'io.modelcontextprotocol/logLevel': 'debug' }
      const { content } = await client.callTool(
        { name, arguments: args, _meta },
        signal === undefined ? {} : { signal },
      )
      const [block] = content
      const text = block?.type === 'text' ? block.text : ''
      return /^[[{]/.test(text) ? JSON.parse(text) : text
    },
  }
}

/** Accepts every request and fills the requested fields with these words. */
export function accepting(words: Readonly<Record<string, string>> = { name: 'Ada', town: 'London' }): Reply {
  return ({ method, params }) => {
    if (method === 'roots/list') return { roots: [{ uri: 'file:///tmp' }] }
    if (method === 'sampling/createMessage') {
      return { role: 'assistant', content: { type: 'text', text: 'A poem.' }, model: 'test' }
    }
    if (params.mode === 'url') return { action: 'accept' }
    const { properties } = params.requestedSchema as { properties: object } // the servers of the fixtures ask in this form
    return {
      action: 'accept',
      content: Object.fromEntries(Object.keys(properties).map((key) => [key, words[key] ?? ''])),
    }
  }
}
