// Classifies HTTP requests, to decide which code answers them, and parses their bodies.

import type { IncomingMessage } from 'node:http'
import { hostname, networkInterfaces } from 'node:os'
import { PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server'
import { isRecord } from '../core/is-record.ts'
import type { ParkedCalls } from './parked-calls.ts'

/** True for a POST of JSON to this path without an Origin, from a client that accepts both JSON and an event stream. */
export function isPlainPost({ method, url, headers }: IncomingMessage, path: string): boolean {
  const { accept = '', origin, 'content-type': type = '' } = headers
  return (
    method === 'POST' &&
    url === path &&
    origin === undefined &&
    /^application\/json(?: *;.*)?$/i.test(type) &&
    accept.includes('application/json') &&
    accept.includes('text/event-stream')
  )
}

/**
 * True for a call with the same protocol version in its header and its `_meta`. Only the modern era has it in `_meta`.
 */
export function isModernCall(body: unknown, version: string | null | undefined): boolean {
  if (!isRecord(body) || body.method !== 'tools/call' || !isRecord(body.params)) return false
  const { _meta } = body.params
  return typeof version === 'string' && isRecord(_meta) && _meta[PROTOCOL_VERSION_META_KEY] === version
}

export function isListenRequest(body: unknown): boolean {
  return isRecord(body) && body.method === 'subscriptions/listen'
}

/**
 * True if the messages start no new call: they are notifications, responses, or calls with the `requestState` of a
 * parked call.
 */
export function isFollowUp(body: unknown, parked: ParkedCalls): boolean {
  const messages = Array.isArray(body) ? body : [body]
  return messages.every((message: unknown) => {
    if (!isRecord(message)) return false
    if ('result' in message || 'error' in message) return true
    if (typeof message.method !== 'string') return false
    const state = isRecord(message.params) ? message.params.requestState : undefined
    return !('id' in message) || (typeof state === 'string' && parked.isOurs(state))
  })
}

export function isEventStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') === true
}

/** The names for the Host check: the address of the server, or the hostname and all addresses if it listens on all. */
export function hostNamesOf(host: string): string[] {
  const bracketed = (address: string) => (address.includes(':') && !address.startsWith('[') ? `[${address}]` : address)
  if (host !== '0.0.0.0' && host !== '::') return [bracketed(host)]
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return [hostname(), ...addresses.map(({ address }) => bracketed(address))]
}

/** Parses the body of a request. Undefined for malformed JSON: the SDK then answers with the protocol error. */
export async function parseBody(request: Request): Promise<unknown> {
  try {
    return await request.clone().json()
  } catch {
    return undefined
  }
}
