// The errors of logins: a login of the user is required, a login has failed, or no token was issued.

import { cutLongText, messageOf } from '../../../core/text.ts'
import { LOCAL_OWNER, type LoginOwner } from './person.ts'

export type LoginNeed =
  /** No login is stored. */
  | { readonly why: 'none' }
  /** The tokens are no longer valid and cannot be renewed. */
  | { readonly why: 'expired' }
  /** The server requires scopes that the login does not have. */
  | { readonly why: 'scope'; readonly scope: string | undefined }

/** The server needs a login of the user. The message contains the command to run. */
export class LoginRequired extends Error {
  // The SDK passes on an error with this name when it probes a server. It would wrap any other error.
  override readonly name = 'UnauthorizedError'
  readonly server: string
  readonly command: string
  readonly need: LoginNeed

  constructor(server: string, need: LoginNeed, owner: LoginOwner = LOCAL_OWNER) {
    const command = owner.loginCommand(server)
    super(`it needs login${textOf(need)}: run \`${command}\``)
    this.server = server
    this.command = command
    this.need = need
  }
}

/** Finds the LoginRequired in a chain of causes. */
export function loginRequiredIn(error: unknown): LoginRequired | undefined {
  if (error instanceof LoginRequired) return error
  return error instanceof Error && error.cause !== undefined ? loginRequiredIn(error.cause) : undefined
}

function textOf(need: LoginNeed): string {
  switch (need.why) {
    case 'none':
      return ''
    case 'expired':
      return ' again, because its login has expired or was revoked'
    case 'scope': {
      // The scopes are a text of the server: only the characters that the standard allows are shown.
      const scope = cutLongText((need.scope ?? '').replace(/[^\x20\x21\x23-\x5B\x5D-\x7E]/g, ''), 200)
      return scope === '' ? ' with more rights' : ` with more rights (${scope})`
    }
  }
}

/** The authorization server did not issue a token, and a login of the user would not help. */
export class AuthorizationFailed extends Error {
  // The SDK passes on an error with this name, see LoginRequired.
  override readonly name = 'UnauthorizedError'
}

const MAX_REASON_CHARS = 300

/** A login that cannot be completed. The message is the reason. */
export class LoginFailed extends Error {
  override readonly name = 'LoginFailed'
  /** False if the user pasted a wrong redirect URL and can paste another one. */
  readonly isFinal: boolean

  constructor(
    message: string,
    { isFinal = true, cause }: { readonly isFinal?: boolean; readonly cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.isFinal = isFinal
  }
}

export function asLoginFailed(error: unknown): LoginFailed {
  return error instanceof LoginFailed ? error : new LoginFailed(shortReason(error), { cause: error })
}

/**
 * The message of an error of a login. An error of the SDK can contain the whole answer of the authorization server, so
 * a long message is cut: before a word, because half a token would no longer be recognized as a secret.
 */
export function shortReason(error: unknown): string {
  const text = messageOf(error)
  if (text.length <= MAX_REASON_CHARS) return text
  return `${text.slice(0, MAX_REASON_CHARS).replace(/[^\s"',;:]+$/, '')}…`
}
