// The answers of servers to requests for prompts, resources and completions, in the form that clients get.

import { errorOf, errors } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'
import type { CallOutcome } from '../sources/upstream/call-outcome.ts'
import { reasonOfOutcome } from '../sources/upstream/to-result.ts'
import type { FeatureSource } from './feature-lists.ts'
import type { FeatureAnswer, Fields } from './features.ts'

export const INVALID_PARAMS = -32_602
/** Used by servers of protocols before 2026-07-28. Clients of every protocol get INVALID_PARAMS instead. */
const RESOURCE_NOT_FOUND = -32_002

type ServerRef = Pick<FeatureSource, 'id' | 'remedy'>

/** Converts the outcome of a request to the answer for the client. */
export function answerOf(server: ServerRef, outcome: CallOutcome): FeatureAnswer {
  switch (outcome.kind) {
    case 'answered': {
      if (!isRecord(outcome.result)) return unavailable(server, 'its answer is not a result')
      // The gateway sets the type and the cache fields of its own answer, so those of the server are dropped.
      const { resultType: _type, ttlMs: _ttl, cacheScope: _scope, ...result } = outcome.result
      const { declined } = outcome
      if (declined === undefined) return { ok: true, result }
      const _meta = isRecord(result._meta) ? result._meta : {}
      return { ok: true, result: { ...result, _meta: { ..._meta, 'toolcrib/declined': declined } } }
    }
    case 'refused': {
      const { rpcCode = errors.SERVER_UNAVAILABLE.rpc, reason } = outcome
      return refuse(rpcCode === RESOURCE_NOT_FOUND ? INVALID_PARAMS : rpcCode, reason, { server: server.id })
    }
    case 'login': {
      const { code, message, suggestion } = errorOf('AUTH_REQUIRED', {
        ...outcome.needed,
        reason: outcome.needed.message,
      })
      return refuse(errors.AUTH_REQUIRED.rpc, message, { code, suggestion, server: server.id })
    }
    case 'capability-missing': {
      const { capability } = outcome
      const { code, message, suggestion } = errorOf('CLIENT_CAPABILITY_MISSING', {
        name: server.id,
        capabilities: [capability],
      })
      const requiredCapabilities = { [capability]: {} }
      return refuse(errors.CLIENT_CAPABILITY_MISSING.rpc, message, {
        code,
        suggestion,
        server: server.id,
        requiredCapabilities,
      })
    }
    // The client gets the questions of the server instead of this result.
    case 'asked':
      return { ok: true, result: {} }
    case 'late':
    case 'lost':
    case 'cancelled':
      return unavailable(server, reasonOfOutcome(outcome))
  }
}

export function unavailable({ id: server, remedy }: ServerRef, reason: string): FeatureAnswer {
  const data = { server, reason, retryAfterMs: 0, ...(remedy === undefined ? {} : { remedy }) }
  const { code, message, suggestion } = errorOf('SERVER_UNAVAILABLE', data)
  return refuse(errors.SERVER_UNAVAILABLE.rpc, message, { code, suggestion, server })
}

export function refuse(rpcCode: number, message: string, data?: Fields): FeatureAnswer & { readonly ok: false } {
  return { ok: false, rpcCode, message, ...(data === undefined ? {} : { data }) }
}
