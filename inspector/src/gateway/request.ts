// Requests to the gateway, with the token of this tab.

import { isRecord } from '../is-record.ts'
import { authorization } from './token.ts'

/** A request that got no usable answer. `status` is the HTTP status, or 0 if the answer is missing or incomplete. */
export class RequestFailure extends Error {
  override readonly name = 'RequestFailure'
  readonly status: number
  /** The next action, if the gateway names one. */
  readonly fix: string | undefined

  constructor(status: number, message: string, fix?: string) {
    super(message)
    this.status = status
    this.fix = fix
  }
}

/** `path` is relative to the page, for example `api/tools`. */
export async function requestJson<T>(path: string, init: RequestInit = {}): Promise<T> {
  const response = await send(path, init)
  const body: unknown = await response.json().catch(handleUnread)
  if (!response.ok) throw failureOf(response.status, body)
  if (body === undefined) throw new RequestFailure(response.status, 'The gateway sent an answer that is not JSON.')
  return body as T // the gateway of the same package makes it from the same type
}

/** Returns undefined if the body is not JSON. Throws if the connection ended before the whole body arrived. */
function handleUnread(error: unknown): undefined {
  if (error instanceof SyntaxError) return undefined
  throw new RequestFailure(0, 'The connection ended before the whole answer arrived.', 'Try again.')
}

/** Sends the request with the token. Throws a `RequestFailure` if the gateway does not answer. */
export async function send(path: string, init: RequestInit): Promise<Response> {
  const headers = { ...authorization(), ...init.headers }
  try {
    return await fetch(path, { ...init, headers, credentials: 'omit', redirect: 'error' })
  } catch (error) {
    if (init.signal?.aborted === true) throw error
    const fix = 'Check that the gateway still runs (`toolcrib serve --http` or `toolcrib inspector`).'
    throw new RequestFailure(0, 'The gateway does not answer.', fix)
  }
}

export function failureOf(status: number, body: unknown): RequestFailure {
  const error = isRecord(body) && isRecord(body.error) ? body.error : {}
  const message = typeof error.message === 'string' ? error.message : `The gateway answered with status ${status}.`
  const fix = [error.fix, error.suggestion].find((text) => typeof text === 'string')
  return new RequestFailure(status, message, fix)
}

export function asFailure(error: unknown): RequestFailure {
  if (error instanceof RequestFailure) return error
  return new RequestFailure(0, error instanceof Error ? error.message : String(error))
}
