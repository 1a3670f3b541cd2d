// What a server asks of a client (elicitation, sampling, roots): put to the one client that is meant, else declined.

import type { ServerRequest } from '../../core/call.ts'
import { isRecord } from '../../core/schema.ts'
import type { Flight } from './flights.ts'

export type Answer = Readonly<Record<string, unknown>>

const METHODS: ReadonlySet<string> = new Set<ServerRequest['method']>([
  'elicitation/create',
  'sampling/createMessage',
  'roots/list',
])

/** A request that is ours to pass on; undefined for any other. */
export function readServerRequest(method: unknown, params: unknown): ServerRequest | undefined {
  if (typeof method !== 'string' || !METHODS.has(method)) return undefined
  // The set above holds exactly these methods.
  return { method: method as ServerRequest['method'], params: isRecord(params) ? params : {} }
}

/** The client's answer, or the polite no of the protocol; undefined where it has none for this request. */
export async function answerFor(
  request: ServerRequest,
  flight: Flight | undefined,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  if (flight?.ask === undefined) return declined(request)
  const resume = flight.pause()
  try {
    return await flight.ask(request, AbortSignal.any([signal, flight.signal]))
  } catch {
    return declined(request)
  } finally {
    resume()
  }
}

function declined({ method }: ServerRequest): Answer | undefined {
  if (method === 'elicitation/create') return { action: 'decline' }
  return method === 'roots/list' ? { roots: [] } : undefined
}
