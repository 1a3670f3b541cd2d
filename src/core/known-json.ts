// Attaches to an answer the JSON text that it was read from, so that the answer is not encoded again.

import { createHiddenField, type HiddenField } from './hidden-field.ts'

interface KnownJson {
  /** The JSON of the whole answer. */
  readonly json: string
  /** The JSON of the only text in it. */
  readonly textJson: string
}

/** A copy of an answer does not have this field, because a copy is usually made to change something. */
export const knownJson: HiddenField<KnownJson> = createHiddenField()
