// The forms a value can have under a JSON Schema, one level deep.

export interface Field {
  readonly name: string
  /** As the document has it; read it to know more. */
  readonly schema: unknown
  readonly isRequired: boolean
}

export interface Range {
  readonly min?: number
  readonly max?: number
}

export interface NumberForm extends Range {
  readonly kind: 'integer' | 'number'
  readonly above?: number
  readonly below?: number
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
  /** Of the first items, one each. */
  readonly first: readonly unknown[]
  /** Of all others; false where there are none. */
  readonly rest: unknown
  readonly count: Range
  readonly isUnique: boolean
}

/** What fields with names that are not listed may be called and hold. */
export interface OtherFields {
  readonly key: unknown
  readonly value: unknown
}

export interface ObjectForm {
  readonly kind: 'object'
  readonly fields: readonly Field[]
  readonly others: readonly OtherFields[]
  /** Whether fields without a word about them are let through. */
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
