// Which fields the arguments of a tool have, and where a schema allows several forms of them, what sets those apart.

import type { Field, ObjectForm, OtherFields } from './schema-form.ts'
import type { ReadSchema } from './schema-reader.ts'

export type { OtherFields } from './schema-form.ts'

export interface ArgumentFields {
  /** In every form of arguments; the required ones first. */
  readonly fields: readonly Field[]
  /** Besides `fields`, a call has those of one of these. A field whose schema is undefined is one of `fields`, required here. */
  readonly variants: readonly ObjectForm[]
  /** Of fields with names that the schema leaves open. */
  readonly others: readonly OtherFields[]
  /** Whether this says all that the schema says. */
  readonly isWhole: boolean
  /** Whether the schema says anything at all. */
  readonly isDeclared: boolean
}

export function argumentFields(schema: unknown, read: ReadSchema): ArgumentFields {
  const { forms, isWhole } = read(schema)
  const objects = forms.filter((form): form is ObjectForm => form.kind === 'object')
  const [first] = objects
  if (first === undefined) {
    const isDeclared = !isWhole || !forms.some(({ kind }) => kind === 'any')
    return { fields: [], variants: [], others: [], isWhole, isDeclared }
  }
  const common = objects.length === 1 ? first.fields : commonFields(first, objects.slice(1))
  return {
    fields: requiredFirst(common),
    variants: objects.length === 1 ? [] : variantsOf(objects, common),
    others: objects.length === 1 ? first.others : [],
    isWhole,
    isDeclared: true,
  }
}

export function requiredFirst(fields: readonly Field[]): readonly Field[] {
  return [...fields.filter(({ isRequired }) => isRequired), ...fields.filter(({ isRequired }) => !isRequired)]
}

function commonFields(first: ObjectForm, others: readonly ObjectForm[]): readonly Field[] {
  const byName = others.map(({ fields }) => new Map(fields.map((field) => [field.name, field])))
  return first.fields.flatMap((field) => {
    const same = byName.map((fields) => fields.get(field.name))
    if (same.some((other) => other?.schema !== field.schema)) return []
    return [{ ...field, isRequired: field.isRequired && same.every((other) => other?.isRequired === true) }]
  })
}

function variantsOf(objects: readonly ObjectForm[], common: readonly Field[]): readonly ObjectForm[] {
  const known = new Map(common.map((field) => [field.name, field]))
  const variants = objects.map((form) => ({
    ...form,
    fields: form.fields.flatMap((field) => {
      const shared = known.get(field.name)
      if (shared === undefined) return [field]
      return field.isRequired && !shared.isRequired ? [{ ...field, schema: undefined }] : []
    }),
  }))
  // Where one of them asks for nothing, the others are no condition.
  return variants.some(({ fields, others }) => fields.length === 0 && others.length === 0) ? [] : variants
}
