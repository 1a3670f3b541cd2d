// Makes an OpenTelemetry span for each call. The optional package @opentelemetry/api is loaded with the first call.

import type { Caller, TraceContext } from '../core/call.ts'
import { requireInstalled } from '../core/optional-package.ts'
import type { CommandResult } from '../core/result.ts'

interface TracedCall {
  readonly server: string
  readonly tool: string
  readonly caller: Caller
  /** The trace context of the client. */
  readonly trace: TraceContext | undefined
}

/** Runs a call in a span. `run` gets the trace context for the server. */
export type CallTracer = (
  call: TracedCall,
  run: (trace: TraceContext | undefined) => Promise<CommandResult>,
) => Promise<CommandResult>

const PACKAGE = '@opentelemetry/api'

/** Raises an error if the package is not installed. */
export function openTracer(): CallTracer {
  requireInstalled(PACKAGE, { what: 'traces', reason: 'traces need' })
  let loading: Promise<CallTracer> | undefined
  return async (call, run) => {
    loading ??= loadTracer()
    return (await loading)(call, run)
  }
}

async function loadTracer(): Promise<CallTracer> {
  const api = await import('@opentelemetry/api')
  const { context, trace, SpanKind, SpanStatusCode } = api
  const tracer = trace.getTracer('toolcrib')
  /** The client's span, or the active span of this process. */
  const parentOf = ({ trace: given }: TracedCall) => {
    if (given === undefined) return context.active()
    const [, traceId = '', spanId = '', flags = '0'] = given.traceparent.split('-')
    const traceState = given.tracestate === undefined ? {} : { traceState: api.createTraceState(given.tracestate) }
    const spanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true, ...traceState }
    return trace.setSpanContext(context.active(), spanContext)
  }
  return async (call, run) => {
    const { server, tool, caller } = call
    const attributes = {
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': tool,
      'toolcrib.server': server,
      'toolcrib.principal': caller.principal,
      'toolcrib.era': caller.era,
      'toolcrib.transport': caller.transport,
    }
    const parent = parentOf(call)
    const span = tracer.startSpan(`tools/call ${tool}`, { kind: SpanKind.CLIENT, attributes }, parent)
    const { traceId, spanId, traceFlags, traceState } = span.spanContext()
    // Without a tracer provider, the span has the ids of the client's trace context, or zeros. Zeros are not passed on.
    const hasIds = api.isSpanContextValid(span.spanContext())
    const tracestate = traceState?.serialize() ?? ''
    const spanTrace = {
      traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
      ...(tracestate === '' ? {} : { tracestate }),
    }
    try {
      const result = await context.with(trace.setSpan(parent, span), () => run(hasIds ? spanTrace : call.trace))
      const outcome = result.success ? 'ok' : (result.error?.code ?? 'UNKNOWN')
      span.setAttribute('toolcrib.outcome', outcome)
      if (!result.success) {
        span.setAttribute('error.type', outcome)
        span.setStatus({ code: SpanStatusCode.ERROR })
      }
      return result
    } finally {
      span.end()
    }
  }
}
