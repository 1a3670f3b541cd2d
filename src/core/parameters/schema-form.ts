// The forms that a JSON Schema allows for a value, one level deep.

export interface Field {
  readonly name: string
  /** The unread schema from the document. */
  readonly schema: unknown
  readonly isRequired: boolean
}

export interface Range {
  readonly min?: number
  readonly max?: number
}

export interface NumberForm extends Range {
  readonly kind: 'integer' | 'number'
  /** The exclusive limits. */
  readonly above?: number
  readonly below?: number
  /** The value is a multiple of this. */
  readonly step?: number
}

export interface StringForm {
  readonly kind: 'string'
  readonly format?: string
  readonly pattern?: string
  readonly length: Range
}

export interface ArrayForm {
  readonly kind: 'array'
  /** The schemas of the first items, one each. */
  readonly first: readonly unknown[]
  /** The schema of all further items; false if no further items are allowed. */
  readonly rest: unknown
  readonly count: Range
  readonly isUnique: boolean
}

/** The schemas of the names and the values of fields that are not listed by name. */
export interface OtherFields {
  readonly key: unknown
  readonly value: unknown
}

export interface ObjectForm {
  readonly kind: 'object'
  readonly fields: readonly Field[]
  readonly others: readonly OtherFields[]
  /** Whether undeclared fields are accepted. */
  readonly isOpen: boolean
  readonly count: Range
}

export type Form =
  | { readonly kind: 'any' | 'null' | 'boolean' }
  | { readonly kind: 'literal'; readonly value: unknown }
  | NumberForm
  | StringForm
  | ArrayForm
  | ObjectForm
