// The error of a server that needs a login of the user. It contains the command to run.

import { cutLongText } from '../../../core/text.ts'
import { LOCAL_OWNER, type LoginOwner } from './login-owner.ts'

export type LoginNeed =
  /** No login is stored. */
  | { readonly why: 'none' }
  /** The tokens are no longer valid and cannot be renewed. */
  | { readonly why: 'expired' }
  /** The server requires scopes that the login does not have. */
  | { readonly why: 'scope'; readonly scope: string | undefined }

export class LoginRequired extends Error {
  // The SDK passes on an error with this name when it probes a server. It would wrap any other error.
  override readonly name = 'UnauthorizedError'
  readonly server: string
  /** The command that the user must run. */
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

/** Finds the error in a chain of causes. */
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
