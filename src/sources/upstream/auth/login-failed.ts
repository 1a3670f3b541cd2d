// The error of a login that cannot be completed. Its message is the reason.

import { shortReason } from './short-reason.ts'

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
