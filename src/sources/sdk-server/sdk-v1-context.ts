// Converts the request context of SDK v1 (`@modelcontextprotocol/sdk`) to that of SDK v2.

import type { ServerContext } from '@modelcontextprotocol/server'
import { isRecord } from '../../core/is-record.ts'

/** The second argument of a handler of SDK v1, which the SDK calls `extra`. Only the fields that are used here. */
interface Extra {
  readonly signal: AbortSignal
  readonly sendNotification: (notification: unknown) => Promise<void>
  readonly sessionId?: unknown
  readonly requestId?: unknown
  readonly _meta?: unknown
  readonly authInfo?: unknown
  readonly requestInfo?: unknown
}

/** Converts the second argument of a handler of SDK v1. A context of SDK v2 is returned unchanged. */
export function toServerContext(given: unknown): ServerContext {
  // A handler of SDK v2 gets a ServerContext, which always has `mcpReq`.
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
    // The protocols of SDK v1 have no `requestState`.
    requestState: () => undefined,
  }
  const context = {
    mcpReq,
    ...(typeof sessionId === 'string' ? { sessionId } : {}),
    ...(requestInfo === undefined ? {} : { http: isRecord(authInfo) ? { authInfo } : {} }),
  }
  // The context has every field that the front door reads from a legacy request.
  return context as unknown as ServerContext
}
