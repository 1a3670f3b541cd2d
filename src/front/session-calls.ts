// Calls within an HTTP session: answered with one JSON document, or on the SDK's stream if messages come first.

import type { JSONRPCMessage, MessageExtraInfo, Transport } from '@modelcontextprotocol/server'
import { jsonOf } from '../core/encoded-message.ts'
import { errors } from '../core/errors.ts'
import { wrapTransport } from '../core/wrap-transport.ts'
import type { DirectCalls } from './direct-calls.ts'

type Id = string | number

/** The response to the client's HTTP request. */
export type CallAnswer = { readonly json: string } | { readonly stream: Response }

export interface SessionCallRequest {
  /** Aborts when the client hangs up. */
  readonly signal: AbortSignal
  /** Passes the request to the SDK, which opens a stream for the messages before the answer. */
  open(): Promise<Response>
}

export interface SessionCalls {
  /** The transport for the Server of the session. It wraps the given transport. */
  readonly transport: Transport
  /** Answers a call that `DirectCalls` accepts. Undefined for other messages, which the SDK answers. */
  answer(message: unknown, request: SessionCallRequest): Promise<CallAnswer> | undefined
}

interface Running {
  readonly request: SessionCallRequest
  /**
   * Resolves when the stream is open. Set if a message is sent before the answer, or the call closes its connection.
   */
  stream?: Promise<void>
  isOpening: boolean
  /** The functions of the SDK for the stream. */
  extra?: MessageExtraInfo | undefined
  settle(answer: CallAnswer): void
}

/** `calls` is a function because `DirectCalls` need the Server, which needs the transport that is created here. */
export function createSessionCalls(inner: Transport, calls: () => DirectCalls): SessionCalls {
  const running = new Map<Id, Running>()

  const openStream = (run: Running): Promise<void> => {
    run.stream ??= (async () => {
      run.isOpening = true
      const stream = await run.request.open()
      run.isOpening = false
      run.settle({ stream })
    })()
    return run.stream
  }
  const finish = async (id: Id, run: Running, message: JSONRPCMessage, options: SendOptions) => {
    running.delete(id)
    if (run.stream === undefined) return run.settle({ json: jsonOf(message) })
    await run.stream
    await inner.send(message, options)
  }

  const transport = wrapTransport(inner, {
    async send(message, options) {
      const isAnswer = !('method' in message)
      const id = isAnswer ? message.id : options?.relatedRequestId
      const run = id === undefined ? undefined : running.get(id)
      if (id === undefined || run === undefined) return inner.send(message, options)
      if (isAnswer) return finish(id, run, message, options)
      await openStream(run)
      return inner.send(message, options)
    },
    receive(message, extra) {
      const run = 'method' in message && 'id' in message ? running.get(message.id) : undefined
      if (run?.isOpening !== true) return !isCancel(message) || !calls().receive(message)
      // The call is already running. Only its stream is new.
      run.extra = extra
      return false
    },
    close(notify) {
      notify()
      const error = { code: errors.CANCELLED.rpc, message: 'The session was closed' }
      for (const [id, run] of running) run.settle({ json: JSON.stringify({ jsonrpc: '2.0', id, error }) })
      running.clear()
    },
  })

  return {
    transport,
    answer(message, request) {
      if (!isMessage(message) || !('id' in message) || message.id === undefined || running.has(message.id))
        return undefined
      const { id } = message
      let settle = (_answer: CallAnswer) => {}
      const answered = new Promise<CallAnswer>((resolve) => {
        settle = resolve
      })
      const run: Running = { request, isOpening: false, settle }
      running.set(id, run)
      const { signal } = request
      const isTaken = calls().receive(message, {
        // Our code reads only the signal of the request.
        request: { signal } as Request,
        closeSSEStream: () => void openStream(run).then(() => run.extra?.closeSSEStream?.()),
      })
      if (isTaken) return answered
      running.delete(id)
      return undefined
    },
  }
}

type SendOptions = Parameters<Transport['send']>[1]

function isCancel(message: JSONRPCMessage): boolean {
  return 'method' in message && message.method === 'notifications/cancelled'
}

function isMessage(value: unknown): value is JSONRPCMessage {
  return typeof value === 'object' && value !== null && 'jsonrpc' in value && value.jsonrpc === '2.0'
}
