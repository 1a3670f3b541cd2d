// The token of this tab. It comes with the address (`#token=`) or from the login form.

const KEY = 'toolcrib.token'

/** Takes the token out of the address, so that it is not bookmarked, shared or sent on. */
export function takeTokenFromAddress(): void {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token === null) return
  keepToken(token)
  history.replaceState(null, '', `${location.pathname}${location.search}#/`)
}

export function readToken(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined
}

export function keepToken(token: string): void {
  sessionStorage.setItem(KEY, token)
}

export function dropToken(): void {
  sessionStorage.removeItem(KEY)
}

/** The headers of a request to the gateway. A gateway with `--no-auth` has no token. */
export function authorization(): Readonly<Record<string, string>> {
  const token = readToken()
  return token === undefined ? {} : { authorization: `Bearer ${token}` }
}
