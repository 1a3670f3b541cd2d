// Wraps a transport so that the SDK's client accepts unusual results, and gets an error when a stream is lost.

import {
  type JSONRPCMessage,
  type JSONRPCResultResponse,
  PROTOCOL_VERSION_META_KEY,
  type Transport,
} from '@modelcontextprotocol/client'
import { isRecord } from '../../core/is-record.ts'

/** The `data` of the error for an answer that was lost with its stream. It is compared by identity. */
export const STREAM_LOST: Readonly<Record<string, unknown>> = Object.freeze({ fault: 'stream-lost' })

const CANCELLED = 'notifications/cancelled'
const SUBSCRIBE = 'subscriptions/listen'
/** The key of the original result inside a placeholder. */
const AS_SENT = 'toolcrib/asSent'

/**
 * The client gets a placeholder with the real result inside, because in the modern era the client validates each
 * result with its own schema.
 */
const PLACEHOLDERS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'tools/list': { resultType: 'complete', ttlMs: 0, cacheScope: 'private', tools: [] },
  'tools/call': { resultType: 'complete', content: [] },
}

interface Pending {
  readonly method: string
  /** Only modern servers can answer that they need input. */
  readonly isModern: boolean
}

/** `isEnd`: true if this error ends the connection. Some transports would continue without their session. */
export function createLenientTransport(inner: Transport, isEnd = (_error: Error) => false): Transport {
  const pending = new Map<string | number, Pending>()
  let isOpen = false

  const outer: Transport & { pid?: unknown; stderr?: unknown } = {
    start() {
      inner.onmessage = (message, extra) => outer.onmessage?.(received(message), extra)
      inner.onerror = (error) => {
        outer.onerror?.(error)
        if (isOpen && isEnd(error)) void inner.close()
      }
      inner.onclose = () => outer.onclose?.()
      return inner.start().then(() => {
        isOpen = true
      })
    },
    send(message, options) {
      const cancelled = 'method' in message && message.method === CANCELLED ? message.params?.requestId : undefined
      if (typeof cancelled === 'string' || typeof cancelled === 'number') pending.delete(cancelled)
      // A subscription lasts as long as its stream, and the client handles it itself.
      if (!('method' in message && 'id' in message) || message.method === SUBSCRIBE) return inner.send(message, options)
      const { id, method, params } = message
      pending.set(id, { method, isModern: params?._meta?.[PROTOCOL_VERSION_META_KEY] !== undefined })
      options?.requestSignal?.addEventListener('abort', () => pending.delete(id), { once: true })
      return inner.send(message, {
        ...options,
        onRequestStreamEnd() {
          options?.onRequestStreamEnd?.()
          // Without this error the client would wait until its timeout.
          if (pending.delete(id)) outer.onmessage?.(lostAnswer(id))
        },
      })
    },
    close: () => inner.close(),
    get sessionId() {
      return inner.sessionId
    },
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
    setSupportedProtocolVersions: (versions) => inner.setSupportedProtocolVersions?.(versions),
    ...(inner.hasPerRequestStream === undefined ? {} : { hasPerRequestStream: inner.hasPerRequestStream }),
    // Set only if the inner transport has them, because the client recognizes stdio by these fields.
    ...('pid' in inner ? { pid: null } : {}),
    ...('stderr' in inner ? { stderr: null } : {}),
  }

  const received = (message: JSONRPCMessage): JSONRPCMessage => {
    if ('method' in message || !('id' in message) || message.id === undefined) return message
    const request = pending.get(message.id)
    pending.delete(message.id)
    if (request === undefined || !('result' in message)) return message
    return withPlaceholder(message, request)
  }
  return outer
}

/** The original result of a server, taken out of its placeholder. */
export function asSent(result: Readonly<Record<string, unknown>>): unknown {
  return AS_SENT in result ? result[AS_SENT] : result
}

function withPlaceholder(message: JSONRPCResultResponse, { method, isModern }: Pending): JSONRPCMessage {
  const { result } = message
  const placeholder = Object.hasOwn(PLACEHOLDERS, method) ? PLACEHOLDERS[method] : undefined
  // The client itself handles a result that needs input.
  if (placeholder === undefined || (isModern && isRecord(result) && result.resultType === 'input_required'))
    return message
  return { ...message, result: { ...placeholder, [AS_SENT]: result } }
}

function lostAnswer(id: string | number): JSONRPCMessage {
  const message = 'The connection broke before the answer came'
  return { jsonrpc: '2.0', id, error: { code: -32_000, message, data: STREAM_LOST } }
}
