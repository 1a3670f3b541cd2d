// A fetch that sends the access token to its server. It repeats a refused request with a new token.

import { extractWWWAuthenticateParams } from '@modelcontextprotocol/client'
import type { Fetch } from '../../../core/bounded-fetch.ts'

/** The fields of a `WWW-Authenticate` header that a login uses. */
export interface Challenge {
  readonly resourceMetadataUrl?: URL | undefined
  readonly scope?: string | undefined
}

export interface Authorization {
  /** The token for the next request. Undefined if there is none. The server may need no login. */
  token(): Promise<string | undefined>
  /**
   * Called when the server refuses a token, or a request without a token (HTTP 401). Returns another token, or
   * undefined if the server describes no login or has no safe address. Rejects with LoginRequired or
   * AuthorizationFailed.
   */
  renew(refused: string | undefined, challenge: Challenge): Promise<string | undefined>
  /** Called when the server requires more scopes (HTTP 403 with `insufficient_scope`). Rejects as `renew` does. */
  stepUp(refused: string | undefined, challenge: Challenge): Promise<string>
  /** The error for a new token that the server refuses too. */
  refused(): Error
}

export function createAuthorizedFetch(server: URL, authorization: Authorization, inner: Fetch): Fetch {
  return async (url, init) => {
    // A token is never sent to another origin, even if the server redirects to it.
    if (new URL(url).origin !== server.origin) return inner(url, init)
    const send = (token: string | undefined) => inner(url, token === undefined ? init : withToken(init, token))
    let token = await authorization.token()
    let response = await send(token)
    if (response.status === 401) {
      const renewed = await orDiscard(response, authorization.renew(token, extractWWWAuthenticateParams(response)))
      if (renewed === undefined) return response
      await discard(response)
      token = renewed
      response = await send(token)
      if (response.status === 401) {
        await discard(response)
        throw authorization.refused()
      }
    }
    if (response.status !== 403) return response
    const { error, ...challenge } = extractWWWAuthenticateParams(response)
    if (error !== 'insufficient_scope') return response
    const wider = await orDiscard(response, authorization.stepUp(token, challenge))
    await discard(response)
    return send(wider)
  }
}

function withToken(init: RequestInit | undefined, token: string): RequestInit {
  const headers = new Headers(init?.headers)
  headers.set('authorization', `Bearer ${token}`)
  return { ...init, headers }
}

/** Returns the result of the work. If the work fails, the response is not used. */
async function orDiscard<T>(response: Response, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    await discard(response)
    throw error
  }
}

/** Frees the connection of a response that is not used. */
async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => {})
}
