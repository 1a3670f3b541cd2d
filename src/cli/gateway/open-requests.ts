// Follows the messages between a client and a shared gateway, so that no request stays without an answer.

import { errorOf, errors } from '../../core/errors.ts'
import { isRecord } from '../../core/is-record.ts'

type Id = string | number

interface OpenRequests {
  /** The requests without an answer. */
  readonly size: number
  /** A message of the client. Returns whether to pass it on. */
  sent(line: string): boolean
  /** A message of the gateway. Returns whether to pass it on. */
  received(line: string): boolean
  /**
   * The gateway is gone. `answers` are for the client; `resend` are messages for the next gateway, which make it
   * know the client. If `isFinal`, there is no next gateway.
   */
  lost(options?: { readonly isFinal?: boolean }): {
    readonly answers: readonly string[]
    readonly resend: readonly string[]
  }
  /** Messages for the client after the next gateway was joined: its tools may have changed. */
  news(): readonly string[]
}

/** A request that changes nothing is sent to the next gateway. Others may have run, so the client must decide. */
const RESENT = new Set(['initialize', 'server/discover', 'ping', 'tools/list'])
/** The id of a request that repeats a setting of the client. Its answer is dropped. */
const REPEATED = 'toolcrib-repeated-'

export function createOpenRequests(): OpenRequests {
  /** The requests of the client. */
  const open = new Map<Id, { readonly method: string; readonly line: string | undefined }>()
  /** The requests of the current gateway to the client. */
  const asked = new Set<Id>()
  /** The messages that make a gateway know a legacy client: its handshake and its settings. */
  let handshake: { readonly id: Id; readonly line: string } | undefined
  let initialized: string | undefined
  const settings = new Map<string, { readonly method: string; readonly params: unknown }>()
  /** The client already has the answers to these ids. */
  const dropped = new Set<Id>()

  const note = (id: Id, method: string, params: unknown, line: string) => {
    open.set(id, { method, line: RESENT.has(method) ? line : undefined })
    if (method === 'initialize') handshake = { id, line }
    const uri = isRecord(params) ? String(params.uri) : ''
    if (method === 'logging/setLevel') settings.set('level', { method, params })
    else if (method === 'resources/subscribe') settings.set(uri, { method, params })
    else if (method === 'resources/unsubscribe') settings.delete(uri)
  }
  const repeated = (): string[] => {
    // A handshake without an answer is one of the open requests.
    if (handshake === undefined || open.has(handshake.id)) return []
    dropped.add(handshake.id)
    const lines = [...settings.values()].map((setting, at) => {
      const id = `${REPEATED}${at}`
      dropped.add(id)
      return JSON.stringify({ jsonrpc: '2.0', id, ...setting })
    })
    return [handshake.line, ...(initialized === undefined ? [] : [initialized]), ...lines]
  }
  return {
    get size() {
      return open.size
    },
    sent(line) {
      const message = parse(line)
      if (message === undefined) return true
      const { id, method, params } = message
      if (typeof method === 'string') {
        if (isId(id)) note(id, method, params, line)
        else if (method === 'notifications/initialized') initialized = line
        else if (method === 'notifications/cancelled' && isRecord(params) && isId(params.requestId))
          open.delete(params.requestId)
        return true
      }
      // An answer to a request of a gateway that is gone must not reach a request of the next one with the same id.
      return !isId(id) || asked.delete(id)
    },
    received(line) {
      const id = answeredId(line)
      if (id !== undefined) {
        if (dropped.delete(id) && !open.has(id)) return false
        open.delete(id)
        return true
      }
      const message = line.includes('"id"') ? parse(line) : undefined
      if (message === undefined || !isId(message.id)) return true
      if (typeof message.method === 'string') asked.add(message.id)
      else open.delete(message.id)
      return true
    },
    lost({ isFinal = false } = {}) {
      const answers = [...asked].map((requestId) =>
        JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }),
      )
      asked.clear()
      dropped.clear()
      const resend = repeated()
      for (const [id, { method, line }] of [...open]) {
        if (line !== undefined && !isFinal) {
          resend.push(line)
          continue
        }
        open.delete(id)
        answers.push(JSON.stringify({ jsonrpc: '2.0', id, error: lostError(method) }))
      }
      return { answers, resend }
    },
    news: () =>
      initialized === undefined ? [] : [JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })],
  }
}

function lostError(method: string) {
  const { message, suggestion } = errorOf('GATEWAY_LOST', { method })
  return { code: errors.GATEWAY_LOST.rpc, message, data: { code: 'GATEWAY_LOST', suggestion } }
}

const VALUE = '("(?:[^"\\\\]|\\\\.){0,256}"|-?\\d{1,16})'
/** The two ways in which our own gateway writes an answer. A long result is then not parsed. */
const ID_FIRST = new RegExp(`^\\{"jsonrpc":"2\\.0","id":${VALUE},"(?:result|error)":`)
const ID_LAST = new RegExp(`"id":${VALUE}\\}$`)
const TAIL = 300

/** The id of the request that this message answers. Undefined if the message must be parsed to know. */
function answeredId(line: string): Id | undefined {
  const [, text] =
    ID_FIRST.exec(line) ?? (/^\{"(?:result|error)":/.test(line) ? ID_LAST.exec(line.slice(-TAIL)) : null) ?? []
  const id: unknown = text === undefined ? undefined : parseValue(text)
  return isId(id) ? id : undefined
}

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  const message = parseValue(line)
  return isRecord(message) ? message : undefined
}

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isId(id: unknown): id is Id {
  return typeof id === 'string' || typeof id === 'number'
}
