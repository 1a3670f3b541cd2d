// The start of a text without the secrets that are known, nor halves of them.

import { cutLongText } from '../../core/text.ts'

/** Takes the secrets that are known out of a text. */
export type Redact = (text: string) => string

export interface PartOfText {
  readonly text: string
  /** Of the whole text. */
  readonly chars: number
}

/** No secret is longer. */
const MAX_SECRET_CHARS = 8_192

/** The first `max` characters, without secrets. */
export function redactedText({ text, chars }: PartOfText, max: number, redact: Redact): string {
  const looked = text.slice(0, max + MAX_SECRET_CHARS)
  const isCut = looked.length < chars
  const redacted = redact(looked)
  // Half of a secret is not recognised as one: what may be the first half of it, at the end of what was cut, is not shown.
  const safe = isCut ? redacted.slice(0, Math.max(0, redacted.length - MAX_SECRET_CHARS)) : redacted
  return isCut ? `${safe.slice(0, Math.max(0, max - 1))}…` : cutLongText(safe, max)
}
