// Finds the variant of a schema that a value belongs to.

import { isRecord } from '../is-record.ts'
import { resolve, shapeOf, typesOf } from './read-schema.ts'

/** The index of the first variant that fits the value, or 0. */
export function findVariant(value: unknown, variants: readonly unknown[], root: unknown): number {
  if (value === undefined) return 0
  return Math.max(
    0,
    variants.findIndex((variant) => fits(value, variant, root)),
  )
}

/** Compares types, choices and names of fields, but no limits. Visits each part of the value once. */
function fits(value: unknown, schema: unknown, root: unknown): boolean {
  const shape = shapeOf(schema, root)
  switch (shape.kind) {
    case 'string':
    case 'boolean':
      return typeof value === shape.kind
    case 'number':
      return typeof value === 'number' && (!shape.isInteger || Number.isInteger(value))
    case 'choice':
      return shape.values.some((choice) => JSON.stringify(choice) === JSON.stringify(value))
    case 'array':
      return Array.isArray(value) && value.every((item) => fits(item, shape.items, root))
    case 'object': {
      const { properties } = shape
      if (!isRecord(value)) return false
      const isKnown = (name: string) => properties.length === 0 || properties.some((property) => property.name === name)
      return (
        Object.keys(value).every(isKnown) &&
        properties.every(({ name, schema: property, isRequired }) =>
          Object.hasOwn(value, name) ? fits(value[name], property, root) : !isRequired,
        )
      )
    }
    case 'json': {
      const types = typesOf(resolve(schema, root))
      if (types.length > 1) return types.some((type) => fits(value, { type }, root))
      return types[0] !== 'array' || Array.isArray(value)
    }
    // A hostile schema can nest variants without end, so nested variants fit every value.
    case 'variants':
      return true
  }
}
