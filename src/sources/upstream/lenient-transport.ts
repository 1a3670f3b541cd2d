// Between the SDK's client and a transport: keeps what the server sent from being refused as a whole, and notices lost streams.

import {
  type JSONRPCMessage,
  type JSONRPCResultResponse,
  PROTOCOL_VERSION_META_KEY,
  type Transport,
} from '@modelcontextprotocol/client'
import { isRecord } from '../../core/schema.ts'
import { STREAM_LOST } from './wire-faults.ts'

const CANCELLED = 'notifications/cancelled'
const SUBSCRIBE = 'subscriptions/listen'
/** Under this key an answer carries what the server really sent. */
const AS_SENT = 'toolcrib/asSent'

/** What the client checks in place of the real answer; in the modern era it does so whatever schema it is given. */
const STAND_INS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'tools/list': { resultType: 'complete', ttlMs: 0, cacheScope: 'private', tools: [] },
  'tools/call': { resultType: 'complete', content: [] },
}

interface Pending {
  readonly method: string
  /** Only in that era can a server answer that it needs input. */
  readonly isModern: boolean
}

export interface LenientOptions {
  /** Whether this error means that the connection is over; some transports would go on without their session. */
  isEnd?(error: Error): boolean
}

export function beLenient(inner: Transport, { isEnd = () => false }: LenientOptions = {}): Transport {
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
      // A subscription lives as long as its stream, and the client sees to it itself.
      if (!('method' in message && 'id' in message) || message.method === SUBSCRIBE) return inner.send(message, options)
      const { id, method, params } = message
      pending.set(id, { method, isModern: params?._meta?.[PROTOCOL_VERSION_META_KEY] !== undefined })
      options?.requestSignal?.addEventListener('abort', () => pending.delete(id), { once: true })
      return inner.send(message, {
        ...options,
        onRequestStreamEnd() {
          options?.onRequestStreamEnd?.()
          // The client itself would wait for its timeout.
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
    // Only where it has them: by these the client knows stdio.
    ...('pid' in inner ? { pid: null } : {}),
    ...('stderr' in inner ? { stderr: null } : {}),
  }

  const received = (message: JSONRPCMessage): JSONRPCMessage => {
    if ('method' in message || !('id' in message) || message.id === undefined) return message
    const asked = pending.get(message.id)
    pending.delete(message.id)
    if (asked === undefined || !('result' in message)) return message
    return standIn(message, asked)
  }
  return outer
}

/** What the server sent in answer to a request, as far as it was set aside. */
export function asSent(result: Readonly<Record<string, unknown>>): unknown {
  return AS_SENT in result ? result[AS_SENT] : result
}

function standIn(message: JSONRPCResultResponse, { method, isModern }: Pending): JSONRPCMessage {
  const { result } = message
  const found = Object.hasOwn(STAND_INS, method) ? STAND_INS[method] : undefined
  // Whoever needs input speaks to the client's own machinery.
  if (found === undefined || (isModern && isRecord(result) && result.resultType === 'input_required')) return message
  return { ...message, result: { ...found, [AS_SENT]: result } }
}

function lostAnswer(id: string | number): JSONRPCMessage {
  const message = 'The connection broke before the answer came'
  return { jsonrpc: '2.0', id, error: { code: -32_000, message, data: STREAM_LOST } }
}
