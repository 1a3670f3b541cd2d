// Shortens an error of a login. An error of the SDK can contain the whole answer of the authorization server.

import { messageOf } from '../../../core/text.ts'

const MAX_CHARS = 300

/** Cuts before a word, because half a token would no longer be recognized as a secret. */
export function shortReason(error: unknown): string {
  const text = messageOf(error)
  if (text.length <= MAX_CHARS) return text
  return `${text.slice(0, MAX_CHARS).replace(/[^\s"',;:]+$/, '')}…`
}
