// The session of this tab with the gateway: which token is used, and whether the gateway refused it.

import { useEffect, useState } from 'preact/hooks'
import { asFailure, type RequestFailure } from './request.ts'
import { dropToken, keepToken, readToken } from './token.ts'

type SessionState = 'open' | 'needs token' | 'wrong token'

let state: SessionState = 'open'
const listeners = new Set<(state: SessionState) => void>()

function change(next: SessionState): void {
  state = next
  for (const listener of listeners) listener(next)
}

/** Returns the failure to show. Call it with the error of each request, because status 401 ends the session. */
export function reportFailure(error: unknown): RequestFailure {
  const failure = asFailure(error)
  if (failure.status === 401) change(readToken() === undefined ? 'needs token' : 'wrong token')
  return failure
}

export function logIn(token: string): void {
  keepToken(token)
  change('open')
}

export function logOut(): void {
  dropToken()
  change('needs token')
}

export function useSession(): SessionState {
  const [shown, setShown] = useState(state)
  useEffect(() => {
    listeners.add(setShown)
    // The state may have changed between the first render and this effect.
    setShown(state)
    return () => void listeners.delete(setShown)
  }, [])
  return shown
}
