// A request during which a server may send requests and messages: a tool call, or another request of a client.

import type { InputRelay } from '../../core/call.ts'
import type { JsonSchema } from '../../core/tool.ts'
import type { TraceContext } from '../../core/trace-context.ts'
import type { PendingCall } from './pending-calls.ts'

export interface CallRequest extends Omit<PendingCall, 'token' | 'pause' | 'questions'> {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  /** The input schema of the called tool. */
  readonly inputSchema?: JsonSchema | undefined
  /** The declared capabilities of the client. If they are unknown, all that we support. */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined
  /** The lowest log level that the client wants. */
  readonly logLevel?: string | undefined
  readonly trace?: TraceContext | undefined
  /** Set if the client returns with its answers in a new request. */
  readonly relay?: InputRelay | undefined
  /** True if the server has no other client, so that the roots of this client are the roots of the server. */
  readonly isOnlyClient?: boolean
  readonly timeoutMs: number
  readonly maxMs: number
}
