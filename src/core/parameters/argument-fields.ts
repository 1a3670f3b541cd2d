// The fields of the arguments of a tool and, if a schema allows several forms of arguments, the fields of each form.

import { getOrMake } from '../collections.ts'
import type { Field, ObjectForm, OtherFields } from './schema-form.ts'
import type { ReadSchema } from './schema-reader.ts'

interface ArgumentFields {
  /** The fields that every form has; the required ones first. Without `variants`, the fields of all forms. */
  readonly fields: readonly Field[]
  /**
   * In addition to `fields`, a call has the fields of one of these variants. If the schema of a variant's field is
   * undefined, the field is one of `fields` and is required in this variant.
   */
  readonly variants: readonly ObjectForm[]
  /** Fields for which the schema does not fix the names. */
  readonly others: readonly OtherFields[]
  /** Whether this covers everything that the schema says. */
  readonly isWhole: boolean
  /** Whether the schema declares anything at all. */
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
  if (objects.length === 1)
    return { fields: requiredFirst(first.fields), variants: [], others: first.others, isWhole, isDeclared: true }
  const common = commonFields(first, objects.slice(1))
  const variants = variantsOf(objects, common)
  const declared = { isWhole, isDeclared: true }
  if (variants.every(({ fields, others }) => fields.length > 0 || others.length > 0))
    return { fields: requiredFirst(common), variants, others: [], ...declared }
  // The common fields are enough for a call, so the further fields of each form are optional.
  const fields = [...requiredFirst(common), ...optionalFields(variants)]
  return { fields, variants: [], others: variants.flatMap(({ others }) => others), ...declared }
}

export function requiredFirst(fields: readonly Field[]): readonly Field[] {
  return [...fields.filter(({ isRequired }) => isRequired), ...fields.filter(({ isRequired }) => !isRequired)]
}

/** The fields that all forms have with the same schema object. A field is required only if every form requires it. */
function commonFields(first: ObjectForm, others: readonly ObjectForm[]): readonly Field[] {
  const byName = others.map(({ fields }) => new Map(fields.map((field) => [field.name, field])))
  return first.fields.flatMap((field) => {
    const same = byName.map((fields) => fields.get(field.name))
    if (same.some((other) => other?.schema !== field.schema)) return []
    return [{ ...field, isRequired: field.isRequired && same.every((other) => other?.isRequired === true) }]
  })
}

/** The forms without the common fields. A field that is required only in this form stays, without its schema. */
function variantsOf(objects: readonly ObjectForm[], common: readonly Field[]): readonly ObjectForm[] {
  const known = new Map(common.map((field) => [field.name, field]))
  return objects.map((form) => ({
    ...form,
    fields: form.fields.flatMap((field) => {
      const shared = known.get(field.name)
      if (shared === undefined) return [field]
      return field.isRequired && !shared.isRequired ? [{ ...field, schema: undefined }] : []
    }),
  }))
}

/** The further fields of all variants, each once and optional. A field with several schemas accepts each of them. */
function optionalFields(variants: readonly ObjectForm[]): readonly Field[] {
  const schemas = new Map<string, Set<unknown>>()
  for (const { name, schema } of variants.flatMap(({ fields }) => fields)) {
    if (schema !== undefined) getOrMake(schemas, name, () => new Set()).add(schema)
  }
  return [...schemas].map(([name, found]) => {
    const [schema, ...more] = found
    return { name, schema: more.length === 0 ? schema : { anyOf: [...found] }, isRequired: false }
  })
}
