// The trace context of a call (W3C Trace Context), which clients send in `_meta` and servers get in the same fields.

/** The position of a call in a trace. */
export interface TraceContext {
  /** `00-<trace id>-<span id>-<flags>`. */
  readonly traceparent: string
  /** The `tracestate` header of W3C Trace Context, unchanged. */
  readonly tracestate?: string
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/
const TRACESTATE = /^[ -~]{1,512}$/

/** Undefined without a valid `traceparent`. A `tracestate` that is not valid is left out, as the standard says. */
export function traceIn(meta: Readonly<Record<string, unknown>> | undefined): TraceContext | undefined {
  const traceparent = meta?.traceparent
  if (typeof traceparent !== 'string' || !TRACEPARENT.test(traceparent)) return undefined
  const tracestate = meta?.tracestate
  return typeof tracestate === 'string' && TRACESTATE.test(tracestate) ? { traceparent, tracestate } : { traceparent }
}
