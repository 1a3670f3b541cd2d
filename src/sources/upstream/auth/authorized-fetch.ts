// A fetch that sends the access token to its server. It repeats a refused request with a new token.

import { extractWWWAuthenticateParams } from '@modelcontextprotocol/client'
import type { Fetch } from '../../../core/bounded-fetch.ts'
import type { Authorization } from './authorization.ts'

export function createAuthorizedFetch(server: URL, authorization: Authorization, inner: Fetch): Fetch {
  return async (url, init) => {
    // A token is never sent to another origin, even if the server redirects to it.
    if (new URL(url).origin !== server.origin) return inner(url, init)
    const send = (token: string | undefined) => inner(url, token === undefined ? init : withToken(init, token))
    let token = await authorization.token()
    let response = await send(token)
    if (response.status === 401) {
      const renewed = await authorization.renew(token, extractWWWAuthenticateParams(response))
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
    const wider = await authorization.stepUp(token, challenge)
    await discard(response)
    return send(wider)
  }
}

function withToken(init: RequestInit | undefined, token: string): RequestInit {
  const headers = new Headers(init?.headers)
  headers.set('authorization', `Bearer ${token}`)
  return { ...init, headers }
}

/** Frees the connection of a response that is not used. */
async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => {})
}
