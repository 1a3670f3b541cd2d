// Requests of a server built on SDK v1 (`@modelcontextprotocol/sdk`), in the form that SDK v2 gives a handler.

import type { ServerContext } from '@modelcontextprotocol/server'
import { isRecord } from '../core/schema.ts'

/** The second argument of a handler of SDK v1, as far as it is used here. */
interface Extra {
  readonly signal: AbortSignal
  readonly sendNotification: (notification: unknown) => Promise<void>
  readonly sessionId?: unknown
  readonly requestId?: unknown
  readonly _meta?: unknown
  readonly authInfo?: unknown
  readonly requestInfo?: unknown
}

/** Converts the second argument of a handler of SDK v1; that of SDK v2 is returned as it is. */
export function toServerContext(given: unknown): ServerContext {
  // A handler of SDK v2 is given a ServerContext, and that always has `mcpReq`.
  return isExtra(given) ? fromExtra(given) : (given as ServerContext)
}

function isExtra(given: unknown): given is Extra & Record<string, unknown> {
  return isRecord(given) && given.mcpReq === undefined && typeof given.sendNotification === 'function'
}

function fromExtra(extra: Extra): ServerContext {
  const { signal, requestId, _meta, sessionId, authInfo, requestInfo } = extra
  const mcpReq = {
    id: requestId,
    signal,
    _meta,
    notify: (notification: unknown) => extra.sendNotification(notification),
    log: (level: string, data: unknown, logger?: string) =>
      extra.sendNotification({
        method: 'notifications/message',
        params: { level, data, ...(logger === undefined ? {} : { logger }) },
      }),
    // SDK v1 speaks protocols that have no answers to bring back.
    requestState: () => undefined,
  }
  const context = {
    mcpReq,
    ...(typeof sessionId === 'string' ? { sessionId } : {}),
    ...(requestInfo === undefined ? {} : { http: isRecord(authInfo) ? { authInfo } : {} }),
  }
  // It has every field that the front door reads of a legacy request.
  return context as unknown as ServerContext
}
