// The access log: one record per HTTP request, with the caller, the called method and the time. It contains no token.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { defined } from '../core/defined.ts'
import { isRecord } from '../core/is-record.ts'
import { cutLongText } from '../core/text.ts'
import type { Proxies } from './proxies.ts'

/** One HTTP request. */
export interface AccessRecord {
  readonly time: string
  readonly event: 'request'
  /** The address of the client. */
  readonly client: string
  /** The HTTP method. */
  readonly verb: string
  readonly path: string
  /** 0 if the connection was closed before an answer. */
  readonly status: number
  /** The time until the response has ended. For an event stream, this is when the stream is closed. */
  readonly durationMs: number
  /** Absent if no login was checked, or if the login is not valid. */
  readonly principal?: string
  /** The MCP method. For a batch, its methods with commas between them. */
  readonly method?: string
  /** The tool in a `tools/call`. */
  readonly tool?: string
  /** The reason why the login was refused, such as `no-token` or `expired`. */
  readonly refused?: string
  /** The Host and Origin headers of a request that was refused with status 403. */
  readonly host?: string
  readonly origin?: string
}

export interface AccessLog {
  /** Starts the record of a request. The record is written when the response has ended. */
  open(incoming: IncomingMessage, outgoing: ServerResponse): void
  /** Adds the principal of a request. */
  identify(incoming: IncomingMessage, principal: string): void
  /** Adds the reason why the login of a request was refused. */
  refuse(incoming: IncomingMessage, reason: string): void
  /** Adds the method and the tool in the body of a request. */
  describe(incoming: IncomingMessage, body: unknown): void
}

/** The fields that become known during the request. */
type KnownFields = {
  -readonly [K in keyof Pick<AccessRecord, 'principal' | 'refused' | 'method' | 'tool'>]: AccessRecord[K]
}

const MAX_TEXT_CHARS = 200

export function createAccessLog(proxies: () => Proxies, write: (record: AccessRecord) => void): AccessLog {
  const knownFields = new WeakMap<IncomingMessage, KnownFields>()
  return {
    open(incoming, outgoing) {
      const known: KnownFields = {}
      knownFields.set(incoming, known)
      const time = new Date().toISOString()
      const startedAt = performance.now()
      // Read now: the address is gone when the connection is closed.
      const client = cut(proxies().clientOf(incoming))
      const { method: verb = '', url = '' } = incoming
      outgoing.once('close', () => {
        const status = outgoing.headersSent ? outgoing.statusCode : 0
        const path = cut(url.replace(/\?.*/s, ''))
        const durationMs = Math.round((performance.now() - startedAt) * 100) / 100
        const refused = refusedHeaders(status, incoming)
        write({ time, event: 'request', client, verb, path, status, durationMs, ...known, ...refused })
      })
    },
    identify(incoming, principal) {
      const known = knownFields.get(incoming)
      if (known !== undefined) known.principal = cut(principal)
    },
    refuse(incoming, reason) {
      const known = knownFields.get(incoming)
      if (known !== undefined) known.refused = reason
    },
    describe(incoming, body) {
      const known = knownFields.get(incoming)
      const methods = [body]
        .flat()
        .flatMap((one: unknown) => (isRecord(one) && typeof one.method === 'string' ? one.method : []))
      if (known === undefined || methods.length === 0) return
      known.method = cut(methods.join(','))
      const params = isRecord(body) && body.method === 'tools/call' ? body.params : undefined
      if (isRecord(params) && typeof params.name === 'string') known.tool = cut(params.name)
    },
  }
}

function refusedHeaders(
  status: number,
  { headers: { host, origin } }: IncomingMessage,
): Pick<AccessRecord, 'host' | 'origin'> {
  if (status !== 403) return {}
  return defined({ host: host && cut(host), origin: origin && cut(origin) })
}

/** Clients choose these texts, so they can be long. */
function cut(text: string): string {
  return cutLongText(text, MAX_TEXT_CHARS)
}
