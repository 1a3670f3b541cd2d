// Tracks the requests between a client and the shared gateway, so that each gets an answer even if the gateway ends.

import { errorOf, errors } from '../../core/errors.ts'
import { isRecord } from '../../core/is-record.ts'
import { parseJson } from '../../core/json.ts'

type Id = string | number

/** Messages to send after the gateway has ended. */
interface LostGateway {
  /** An error for each request that is not sent again, and a cancellation for each request of the gateway. */
  readonly toClient: readonly string[]
  /** For the next gateway: the handshake and the log level of the client, and the requests that are sent again. */
  readonly toGateway: readonly string[]
}

interface OpenRequests {
  /** Takes a message of the client. Returns the message for the gateway, or undefined to drop it. */
  passFromClient(line: string): string | undefined
  /** Takes a message of the gateway. Returns the message for the client, or undefined to drop it. */
  passFromGateway(line: string): string | undefined
  /** With `isFinal` no other gateway is started, so every request gets an error. */
  onGatewayLost(options?: { readonly isFinal?: boolean }): LostGateway
  /** Messages for the client after the next gateway was joined: its tools may have changed. */
  messagesAfterRejoin(): readonly string[]
}

/** Only these requests are sent again. Any other may already have run, so it fails and the client decides. */
const SENT_AGAIN = new Set(['initialize', 'server/discover', 'ping', 'tools/list'])
const SET_LEVEL = 'logging/setLevel'
const CANCELLED = 'notifications/cancelled'
/** The prefix of the ids that this process creates. */
const OWN_ID_PREFIX = 'toolcrib-repeated-'

export function createOpenRequests(): OpenRequests {
  /** The requests of the client. `line` is set if the request can be sent again. */
  const open = new Map<Id, { readonly method: string; readonly line: string | undefined }>()
  /** The requests of the current gateway: the id that the client knows, and the id of the gateway. */
  const asked = new Map<Id, Id>()
  /** How many gateways were lost. */
  let generation = 0
  /** The handshake and the log level of a legacy client. A new gateway gets them again. */
  let handshake: { readonly id: Id; readonly line: string } | undefined
  let initialized: string | undefined
  let level: { readonly method: typeof SET_LEVEL; readonly params: unknown } | undefined
  /** Responses with these ids are dropped: the client has the answer already, or did not send the request. */
  const dropped = new Set<Id>()

  const trackRequest = (id: Id, method: string, params: unknown, line: string) => {
    open.set(id, { method, line: SENT_AGAIN.has(method) ? line : undefined })
    if (method === 'initialize') handshake = { id, line }
    else if (method === SET_LEVEL) level = { method, params }
  }
  /** The id that the client knows. Each gateway counts its requests from 0, so later gateways get ids of their own. */
  const clientIdOf = (id: Id): Id => (generation === 0 ? id : `${OWN_ID_PREFIX}${generation}-${id}`)
  const repeatHandshake = (): string[] => {
    // A handshake without an answer is one of the open requests.
    if (handshake === undefined || open.has(handshake.id)) return []
    dropped.add(handshake.id)
    const lines = [handshake.line, ...(initialized === undefined ? [] : [initialized])]
    if (level === undefined) return lines
    const id = `${OWN_ID_PREFIX}level`
    dropped.add(id)
    return [...lines, JSON.stringify({ jsonrpc: '2.0', id, ...level })]
  }
  /** The gateway cancels a request of its own. A late answer of the client is then dropped. */
  const passCancellation = (params: unknown, line: string): string => {
    if (!isRecord(params) || !isId(params.requestId)) return line
    const requestId = clientIdOf(params.requestId)
    asked.delete(requestId)
    return requestId === params.requestId ? line : cancellationOf({ ...params, requestId })
  }
  return {
    passFromClient(line) {
      const message = parse(line)
      if (message === undefined) return line
      const { id, method, params } = message
      if (typeof method === 'string') {
        if (isId(id)) trackRequest(id, method, params, line)
        else if (method === 'notifications/initialized') initialized = line
        else if (method === CANCELLED && isRecord(params) && isId(params.requestId)) open.delete(params.requestId)
        return line
      }
      if (!isId(id)) return line
      // An answer for a gateway that has ended is dropped.
      const gatewayId = asked.get(id)
      asked.delete(id)
      if (gatewayId === undefined) return undefined
      return gatewayId === id ? line : JSON.stringify({ ...message, id: gatewayId })
    },
    passFromGateway(line) {
      const id = answeredId(line)
      if (id !== undefined) {
        if (dropped.delete(id) && !open.has(id)) return undefined
        open.delete(id)
        return line
      }
      const message = line.includes('"id"') || line.includes(CANCELLED) ? parse(line) : undefined
      if (message?.method === CANCELLED) return passCancellation(message.params, line)
      if (message === undefined || !isId(message.id)) return line
      if (typeof message.method !== 'string') {
        open.delete(message.id)
        return line
      }
      // With a new id, a late answer for a lost gateway does not reach this one.
      const clientId = clientIdOf(message.id)
      asked.set(clientId, message.id)
      return generation === 0 ? line : JSON.stringify({ ...message, id: clientId })
    },
    onGatewayLost({ isFinal = false } = {}) {
      generation++
      const toClient = [...asked.keys()].map((requestId) => cancellationOf({ requestId }))
      asked.clear()
      dropped.clear()
      const toGateway = isFinal ? [] : repeatHandshake()
      for (const [id, { method, line }] of [...open]) {
        if (line !== undefined && !isFinal) {
          toGateway.push(line)
          // Sent again only once: a request that crashes each gateway must not be repeated forever.
          open.set(id, { method, line: undefined })
          continue
        }
        open.delete(id)
        toClient.push(JSON.stringify({ jsonrpc: '2.0', id, error: lostError(method) }))
      }
      return { toClient, toGateway }
    },
    messagesAfterRejoin: () =>
      initialized === undefined ? [] : [JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })],
  }
}

function cancellationOf(params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', method: CANCELLED, params })
}

function lostError(method: string) {
  const { message, suggestion } = errorOf('GATEWAY_LOST', { method })
  return { code: errors.GATEWAY_LOST.rpc, message, data: { code: 'GATEWAY_LOST', suggestion } }
}

/** A JSON string or integer. */
const ID_VALUE = '("(?:[^"\\\\]|\\\\.){0,256}"|-?\\d{1,16})'
/** The two forms in which our gateway writes a response. The id is read without parsing a long result. */
const ID_FIRST = new RegExp(`^\\{"jsonrpc":"2\\.0","id":${ID_VALUE},"(?:result|error)":`)
const ID_LAST = new RegExp(`"id":${ID_VALUE}\\}$`)
/** More than most ids need. If an id has more characters, because many are escaped, the message is parsed instead. */
const TAIL_CHARS = 300

/** The id of the request that this message answers. Undefined if the message must be parsed to know. */
function answeredId(line: string): Id | undefined {
  const isResponse = /^\{"(?:result|error)":/.test(line)
  const [, text] = ID_FIRST.exec(line) ?? (isResponse ? ID_LAST.exec(line.slice(-TAIL_CHARS)) : null) ?? []
  const id = text === undefined ? undefined : parseJson(text)
  return isId(id) ? id : undefined
}

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  const message = parseJson(line)
  return isRecord(message) ? message : undefined
}

function isId(id: unknown): id is Id {
  return typeof id === 'string' || typeof id === 'number'
}
