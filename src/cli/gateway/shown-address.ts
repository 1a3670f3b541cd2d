// Builds the addresses that the commands print for people: the page of the inspector.

/** The page at this address of a gateway, without a token. */
export function inspectorPage(url: string): string {
  return `${withLoopback(url)}/`
}

/** A browser does not send the part after `#` to the server. */
export function withToken(page: string, token: string | null | undefined): string {
  return token == null ? page : `${page}#token=${token}`
}

/** Replaces the address of a gateway that listens on all addresses, because a browser cannot open it. */
function withLoopback(url: string): string {
  return url.replace(/\/\/(?:0\.0\.0\.0|\[::\])(?=[:/]|$)/, '//127.0.0.1')
}
