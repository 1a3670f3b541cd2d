// Sends requests without the SDK's client, because its checks take longer than the rest of a call.

import {
  CLIENT_INFO_META_KEY,
  type Implementation,
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  type Transport,
} from '@modelcontextprotocol/client'
import { isRecord } from '../../core/is-record.ts'
import type { StopSignal } from '../../core/stop-signal.ts'
import { wrapTransport } from '../../core/wrap-transport.ts'

type Fields = Readonly<Record<string, unknown>>

/** Part of each message to a modern server. Legacy servers do not get it. */
interface Envelope {
  readonly protocolVersion: string
  readonly clientInfo: Implementation
}

export type DirectRequests = ReturnType<typeof createDirectRequests>

interface Pending {
  readonly signal: StopSignal
  /** The listener of the signal. */
  readonly cancel: () => void
  resolve(result: Fields): void
  reject(error: unknown): void
}

/** The ids of the SDK's client start at 0 and do not reach this number while a connection lasts. */
const FIRST_ID = 1_000_000_000
const NO_REASON = 'the server failed and gave no reason'

export function createDirectRequests(inner: Transport) {
  const pending = new Map<unknown, Pending>()
  let lastId = FIRST_ID
  let envelope: Fields | undefined

  const settle = (message: JSONRPCMessage): boolean => {
    if ('method' in message) return false
    // Some servers return the id as text.
    const id = typeof message.id === 'string' ? Number(message.id) : message.id
    const waiting = pending.get(id)
    if (waiting === undefined) return false
    end(id, waiting)
    if ('error' in message) waiting.reject(errorOf(message.error))
    else if (isRecord(message.result)) waiting.resolve(message.result)
    else waiting.reject(new SdkError(SdkErrorCode.InvalidResult, 'its answer is not an object'))
    return true
  }
  const end = (id: unknown, { signal, cancel }: Pending) => {
    pending.delete(id)
    signal.removeEventListener('abort', cancel)
  }
  const withEnvelope = (params: Fields): Fields => {
    const meta = isRecord(params._meta) ? params._meta : {}
    // The `_meta` of a call already has the envelope. The check costs less than a copy.
    if (envelope === undefined || PROTOCOL_VERSION_META_KEY in meta) return params
    return { ...params, _meta: { ...envelope, ...meta } }
  }

  const transport = wrapTransport(inner, {
    receive: (message) => !settle(message),
    close(notify) {
      const lost = [...pending.values()]
      for (const [id, waiting] of pending) end(id, waiting)
      notify()
      for (const { reject } of lost) reject(new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed'))
    },
  })

  return {
    /** For the SDK's client. It carries all messages except the direct requests and their answers. */
    transport,
    /** The `_meta` fields of the envelope. */
    get meta() {
      return envelope
    },
    /** Adds the envelope to every direct request, and to its cancellation, from now on. */
    useEnvelope({ protocolVersion, clientInfo }: Envelope) {
      envelope = { [PROTOCOL_VERSION_META_KEY]: protocolVersion, [CLIENT_INFO_META_KEY]: clientInfo }
    },
    /**
     * Resolves with the result as the server sent it. Rejects with the reason of the signal after an abort, otherwise
     * with the same errors as the SDK's client.
     */
    request(method: string, params: Fields, signal: StopSignal): Promise<Fields> {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        const id = ++lastId
        const cancel = () => {
          pending.delete(id)
          const cancelled = withEnvelope({ requestId: id, reason: String(signal.reason) })
          inner.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: cancelled }).catch(() => {})
          reject(signal.reason)
        }
        signal.addEventListener('abort', cancel, { once: true })
        const waiting: Pending = { signal, cancel, resolve, reject }
        pending.set(id, waiting)
        inner.send({ jsonrpc: '2.0', id, method, params: withEnvelope(params) }).catch((error: unknown) => {
          if (pending.get(id) !== waiting) return
          end(id, waiting)
          reject(error)
        })
      })
    },
  }
}

/** Some servers send an error without a code or a message, or only a text. */
function errorOf(error: unknown): ProtocolError {
  const { code, message, data }: Fields = isRecord(error) ? error : { message: error }
  const reason = typeof message === 'string' && message !== '' ? message : NO_REASON
  return ProtocolError.fromError(typeof code === 'number' ? code : 0, reason, data)
}
