// The error of a login that cannot be completed. Its message says why.

import { messageOf } from '../../../core/text.ts'

export class LoginFailed extends Error {
  override readonly name = 'LoginFailed'
}

export function asLoginFailed(error: unknown): LoginFailed {
  return error instanceof LoginFailed ? error : new LoginFailed(messageOf(error), { cause: error })
}
