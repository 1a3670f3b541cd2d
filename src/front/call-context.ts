// The context of one request of a client: the SDK's, or our own for requests that do not pass through the SDK.

import type { ServerContext } from '@modelcontextprotocol/server'
import type { StopSignal } from '../core/stop-signal.ts'

type McpRequest = ServerContext['mcpReq']

/** The part of the SDK's ServerContext that our code uses. */
export interface CallContext {
  readonly mcpReq: Pick<
    McpRequest,
    'id' | '_meta' | 'envelope' | 'inputResponses' | 'requestState' | 'log' | 'notify' | 'send'
  > & { readonly signal: StopSignal }
  readonly http?:
    | {
        readonly req?: { readonly signal: AbortSignal } | undefined
        readonly closeSSE?: (() => void) | undefined
      }
    | undefined
  /**
   * The tool that runs, for the operator. It differs from the called name if that is a meta-tool such as
   * `execute_tool`.
   */
  tool?: string | undefined
}
