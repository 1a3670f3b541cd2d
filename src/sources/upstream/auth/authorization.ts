// The interface of the two kinds of login (stored-login.ts, machine-login.ts): the access tokens of one server.

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

/** The authorization server did not issue a token, and a login of the user would not help. */
export class AuthorizationFailed extends Error {
  // The SDK passes on an error with this name, see LoginRequired.
  override readonly name = 'UnauthorizedError'
}
