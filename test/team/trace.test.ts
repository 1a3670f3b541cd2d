// Spans of OpenTelemetry with the real SDK, and the trace context from a client to a server.

import { SpanStatusCode, trace } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createMcpServer } from '../../src/front/create-mcp-server.ts'
import { ask, modern, startSession, toolCall } from '../../src/front/raw-client.fixture.ts'
import { defineCommand, failure, success } from '../../src/index.ts'
import { gatewayForTest } from '../e2e/gateway/harness.ts'
import { fixtureServer } from '../e2e/gateway/servers.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'
const traceparent = `00-${TRACE}-${SPAN}-01`
const tracestate = 'vendor=value'
const exporter = new InMemorySpanExporter()
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })

beforeAll(() => void trace.setGlobalTracerProvider(provider))
beforeEach(() => exporter.reset())
afterAll(async () => {
  trace.disable()
  await provider.shutdown()
})

const seen: unknown[] = []
const commands = [
  defineCommand({
    name: 'note-add',
    description: 'Add a note.',
    input: z.looseObject({}),
    handler: (input, context) => {
      seen.push(context.trace)
      return input.isBad === true ? failure({ code: 'NOT_FOUND', message: 'no' }) : success(null)
    },
  }),
]

async function serve(traces: boolean): Promise<number> {
  const options = { name: 'notes', version: '1.0.0', commands, transport: 'http', port: 0 } as const
  const server = createMcpServer({ ...options, toolStrategy: 'individual', traces })
  await server.start()
  onTestFinished(() => server.stop())
  return Number(new URL(server.getUrl()).port)
}

describe('a server in a process with a provider', () => {
  it('the server makes a span for each call, with the span of the client as its parent', async () => {
    const port = await serve(true)
    const meta = { traceparent, tracestate }
    for (const call of [toolCall('note-add', {}, 1, meta), toolCall('note-add', { isBad: true }, 2, meta)])
      expect((await ask(port, modern(call))).status).toBe(200)
    const session = await startSession(port)
    await session.ask(toolCall('note-add', {}, 3, meta))
    const spans = exporter.getFinishedSpans()
    expect(spans.map(({ name }) => name)).toEqual(Array(3).fill('tools/call note-add'))
    expect(spans.map(({ attributes }) => attributes['toolcrib.outcome'])).toEqual(['ok', 'NOT_FOUND', 'ok'])
    expect(spans.map(({ attributes }) => attributes['toolcrib.era'])).toEqual(['modern', 'modern', 'legacy'])
    expect(spans.map(({ status }) => status.code === SpanStatusCode.ERROR)).toEqual([false, true, false])
    for (const span of spans) {
      expect(span.parentSpanContext).toMatchObject({ traceId: TRACE, spanId: SPAN, isRemote: true })
      expect(span.spanContext().traceId).toBe(TRACE)
      expect(span.attributes['toolcrib.server']).toBe('commands')
    }
    const own = spans.map((span) => ({ traceparent: `00-${TRACE}-${span.spanContext().spanId}-01`, tracestate }))
    expect(seen.splice(0)).toEqual(own)
  })

  it('the server starts a new trace without a valid context of the client', async () => {
    const port = await serve(true)
    for (const meta of [undefined, { traceparent: 'x' }, { traceparent: `00-${'0'.repeat(32)}-${SPAN}-01` }])
      await ask(port, modern(toolCall('note-add', {}, 1, meta)))
    const ids = exporter.getFinishedSpans().map((span) => span.spanContext().traceId)
    expect([ids.length, new Set(ids).size, ids.includes(TRACE)]).toEqual([3, 3, false])
    seen.length = 0
  })

  it('the server makes no span with `traces: false`, and the handler gets the context of the client', async () => {
    const port = await serve(false)
    await ask(port, modern(toolCall('note-add', {}, 1, { traceparent, tracestate })))
    expect(exporter.getFinishedSpans()).toEqual([])
    expect(seen.splice(0)).toEqual([{ traceparent, tracestate }])
  })
})

it.each([false, true])('a gateway passes the context of the client on to a server (traces: %s)', async (traces) => {
  const discovery = { listWaitMs: 30_000, servers: { meta: fixtureServer('echo-meta') } }
  const gateway = await gatewayForTest({ door: 'http', config: { traces, discovery } })
  for (const era of ['legacy', 'modern'] as const) {
    const { client } = await gateway.connect({ era })
    const result = await client.callTool({
      name: 'execute_tool',
      arguments: { server: 'meta', tool: 'meta', arguments: {} },
      _meta: { traceparent, tracestate },
    })
    const [block] = result.content
    // No provider is registered in the process of the gateway, so the context stays that of the client.
    expect(JSON.parse(block?.type === 'text' ? block.text : '{}')).toMatchObject({ traceparent, tracestate })
  }
})
