// The error of a login that cannot be completed. Its message is the reason.

import { messageOf } from '../../../core/text.ts'

const MAX_REASON_CHARS = 300

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
