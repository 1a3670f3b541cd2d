// Answers tools/call of a legacy client without the checks of the SDK, which take longer than the call.

import type { JSONRPCMessage, MessageExtraInfo } from '@modelcontextprotocol/server'
import { resultMessage } from '../core/encoded-message.ts'
import { isRecord } from '../core/is-record.ts'
import { Stop } from '../core/stop-signal.ts'
import type { Activity } from './activity.ts'
import { DirectRequest, type PlainServer } from './plain-server.ts'
import { type AnswerCall, type CallContext, type PlainCall, runCall, toRpcError } from './run-call.ts'

export interface DirectCalls {
  /**
   * Handles plain calls and their cancellations. Returns false if the SDK must handle the message. `extra` comes from
   * the transport.
   */
  receive(message: JSONRPCMessage, extra?: MessageExtraInfo): boolean
  /** Cancels the calls in flight. Call it when the connection is closed. */
  close(): void
}

interface DirectCallsOptions {
  readonly server: PlainServer
  readonly activity: Activity
  send(message: JSONRPCMessage): Promise<void>
  onError(error: Error): void
}

/** One request in flight. */
interface Call {
  readonly request: PlainCall
  readonly extra: MessageExtraInfo | undefined
  readonly stop: Stop
  /** True if the client has cancelled the call or is gone. No response is sent then. */
  isDropped: boolean
}

export function createDirectCalls({ server, activity, send, onError }: DirectCallsOptions): DirectCalls {
  const calls = new Map<string | number, Call>()

  const answer = async (call: Call, answerCall: AnswerCall): Promise<void> => {
    const { request, extra, stop } = call
    const { id } = request
    const context: CallContext = {
      // The `send` of the SDK has a second form, without a schema. Our code does not use it.
      mcpReq: new DirectRequest(server, request, stop) as unknown as CallContext['mcpReq'],
      http: extra?.closeSSEStream === undefined ? undefined : { closeSSE: extra.closeSSEStream },
      tool: undefined,
    }
    const running = { request, context, stop, connection: extra?.request?.signal, activity, answerCall }
    try {
      const { result, json } = await runCall(running)
      if (!call.isDropped) await send(resultMessage(id, result, json))
    } catch (error) {
      if (!call.isDropped) await send({ jsonrpc: '2.0', id, error: toRpcError(error) })
    } finally {
      if (calls.get(id) === call) calls.delete(id)
    }
  }

  return {
    receive(message, extra) {
      if (!('method' in message)) return false
      if (message.method === 'notifications/cancelled') {
        const call = calls.get(message.params?.requestId as string | number) // `get` returns undefined for any other value
        if (call === undefined) return false
        call.isDropped = true
        call.stop.abort(message.params?.reason)
        return true
      }
      // The SDK handles calls before `initialize` is answered.
      const { answerCall } = server
      if (answerCall === undefined || server.getClientVersion() === undefined || !isPlainCall(message)) return false
      const call = { request: message, extra, stop: new Stop(), isDropped: false }
      calls.set(message.id, call)
      answer(call, answerCall).catch((error) => onError(new Error(`Failed to send response: ${error}`)))
      return true
    },
    close() {
      for (const call of calls.values()) {
        call.isDropped = true
        call.stop.abort(new Error('Connection closed'))
      }
      calls.clear()
    },
  }
}

/** True for a valid call with known fields only. The SDK handles all other messages. */
function isPlainCall(message: JSONRPCMessage): message is PlainCall {
  if (!('id' in message) || !('method' in message) || message.method !== 'tools/call') return false
  const { params } = message
  if (!isRecord(params)) return false
  for (const key in params) if (!FIELDS.has(key)) return false
  const { name, arguments: args, _meta } = params
  if (typeof name !== 'string' || (args !== undefined && !isRecord(args))) return false
  return _meta === undefined || (isRecord(_meta) && isToken(_meta.progressToken))
}

const FIELDS: ReadonlySet<string> = new Set(['name', 'arguments', '_meta'])

function isToken(token: unknown): boolean {
  return token === undefined || typeof token === 'string' || Number.isSafeInteger(token)
}
