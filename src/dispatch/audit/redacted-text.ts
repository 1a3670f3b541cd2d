// The start of a text, without known secrets and without parts of them.

import { cutLongText } from '../../core/text.ts'

/** Removes known secrets from a text. */
export type Redact = (text: string) => string

interface PartOfText {
  readonly text: string
  /** The length of the whole text. */
  readonly chars: number
}

/** Longer secrets are not supported. */
const MAX_SECRET_CHARS = 8_192

/** The first `max` characters, without secrets. */
export function redactedText({ text, chars }: PartOfText, max: number, redact: Redact): string {
  const inspected = text.slice(0, max + MAX_SECRET_CHARS)
  const isCut = inspected.length < chars
  const redacted = redact(inspected)
  // Redaction does not find the start of a secret at the cut end of the text, so that end is not shown.
  const safe = isCut ? redacted.slice(0, Math.max(0, redacted.length - MAX_SECRET_CHARS)) : redacted
  return isCut ? `${safe.slice(0, Math.max(0, max - 1))}…` : cutLongText(safe, max)
}
