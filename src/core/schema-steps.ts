// Estimates the work of a validation before it starts: a small schema can cause years of work.

import { getOrMake } from './collections.ts'
import { isRecord } from './is-record.ts'
import { listOf, resolvePointer } from './json.ts'
import type { JsonSchema } from './tool.ts'

/** Counts the steps of a validator that never stops early, up to `maxSteps`. Undefined if the value nests too deeply. */
type StepCounter = (value: unknown, maxSteps: number) => number | undefined

/** The work that one schema causes for a value. Sub-schemas can be any JSON; those that are not objects cost nothing. */
interface Plan {
  /** The steps of the schema itself: names, constants and similar lists that are searched each time. */
  readonly steps: number
  /** Sub-schemas that apply to the same value. */
  readonly inPlace: readonly unknown[]
  readonly properties: Readonly<Record<string, unknown>>
  /** Sub-schemas that apply to every property, and those that apply to properties not named in `properties`. */
  readonly eachProperty: readonly unknown[]
  readonly otherProperties: readonly unknown[]
  readonly propertyNames: unknown
  readonly prefix: readonly unknown[]
  readonly eachItem: readonly unknown[]
  readonly comparesItems: boolean
  readonly measuresText: boolean
}

const REFERENCES = ['$ref', '$recursiveRef']
const SCALAR = /^(?:string|number|integer|boolean|null)$/
/** Comparing two values, or reading one character, is this many times cheaper than applying a schema. */
const CHEAP = 16

/** The maximum number of references in one schema, far above any schema in use. ajv may copy each target. */
const MAX_REFERENCES = 500

/** Throws if the schema has too many references, references that cannot be followed here, or a nested `$id`. */
export function createStepCounter(root: JsonSchema): StepCounter {
  const anchors = new Map<string, unknown>()
  const references = collectReferences(root, anchors, true)
  if (references > MAX_REFERENCES) throw new Error(`it has ${references} references`)
  const plans = new Map<object, Plan>()
  let stepsLeft = 0

  const follow = (reference: string) => resolve(reference, root, anchors)

  const applyAll = (schemas: readonly unknown[], value: unknown): void => {
    for (const schema of schemas) apply(schema, value)
  }

  const apply = (schema: unknown, value: unknown): void => {
    if (stepsLeft <= 0 || !isRecord(schema)) return
    const plan = getOrMake(plans, schema, () => createPlan(schema, follow))
    stepsLeft -= plan.steps
    applyAll(plan.inPlace, value)
    if (typeof value === 'string') stepsLeft -= plan.measuresText ? value.length / CHEAP : 0
    else if (Array.isArray(value)) applyToItems(plan, value)
    else if (isRecord(value)) applyToProperties(plan, value)
  }

  const applyToItems = (plan: Plan, items: readonly unknown[]): void => {
    if (plan.comparesItems) stepsLeft -= (items.length * sizeOf(items, stepsLeft)) / CHEAP
    plan.prefix.forEach((schema, index) => {
      if (index < items.length) apply(schema, items[index])
    })
    if (plan.eachItem.length === 0) return
    for (const item of items) {
      if (stepsLeft <= 0) return
      applyAll(plan.eachItem, item)
    }
  }

  const applyToProperties = (plan: Plan, value: Readonly<Record<string, unknown>>): void => {
    for (const [key, item] of Object.entries(value)) {
      stepsLeft -= 1 / CHEAP
      if (stepsLeft <= 0) return
      if (Object.hasOwn(plan.properties, key)) apply(plan.properties[key], item)
      else applyAll(plan.otherProperties, item)
      applyAll(plan.eachProperty, item)
      apply(plan.propertyNames, key)
    }
  }

  return (value, maxSteps) => {
    stepsLeft = maxSteps
    try {
      apply(root, value)
      return maxSteps - stepsLeft
    } catch (error) {
      // Only a recursive schema with hostile input nests that deep.
      if (!(error instanceof RangeError)) throw error
      return undefined
    }
  }
}

function createPlan(schema: JsonSchema, follow: (reference: string) => unknown): Plan {
  const { items, properties, patternProperties, propertyNames } = schema
  const references = REFERENCES.flatMap((name) => {
    const reference = schema[name]
    return typeof reference === 'string' ? [follow(reference)] : []
  })
  const itemType = isRecord(items) ? items.type : undefined
  // Without `enum` and `const`, the list of the two has the size 3, which is subtracted.
  const names = namesIn(schema) + sizeOf([schema.enum, schema.const], Number.POSITIVE_INFINITY) - 3
  return {
    // The steps behind a reference without a target are unknown, so there may be any number of them.
    steps: references.includes(undefined) ? Number.POSITIVE_INFINITY : 1 + names / CHEAP,
    inPlace: [
      ...references,
      ...[schema.allOf, schema.anyOf, schema.oneOf].flatMap(listOf),
      ...[schema.not, schema.if, schema.then, schema.else],
      ...[schema.dependentSchemas, schema.dependencies].flatMap(valuesOf),
    ].filter(isRecord),
    properties: isRecord(properties) ? properties : {},
    eachProperty: [...valuesOf(patternProperties), schema.unevaluatedProperties].filter(isRecord),
    otherProperties: [schema.additionalProperties].filter(isRecord),
    propertyNames,
    prefix: [...listOf(schema.prefixItems), ...listOf(items)],
    eachItem: [items, schema.additionalItems, schema.unevaluatedItems, schema.contains].filter(isRecord),
    // ajv compares each item with each other item, unless it knows that all are scalars.
    comparesItems: schema.uniqueItems === true && !(typeof itemType === 'string' && SCALAR.test(itemType)),
    measuresText: schema.minLength !== undefined || schema.maxLength !== undefined,
  }
}

/** The number of names that are looked up in every object. */
function namesIn({ properties, required, patternProperties, dependentRequired, dependencies }: JsonSchema): number {
  const lists = [required, ...valuesOf(dependentRequired), ...valuesOf(dependencies)].flatMap(listOf)
  return lists.length + valuesOf(properties).length + valuesOf(patternProperties).length
}

/** The number of values inside a value, itself included. Stops counting above `max`. */
function sizeOf(value: unknown, max: number): number {
  let size = 0
  const open: unknown[] = [value]
  while (open.length > 0 && size <= max) {
    const next = open.pop()
    size += 1
    if (typeof next !== 'object' || next === null) continue
    for (const inner of Object.values(next)) open.push(inner)
  }
  return size
}

/**
 * Counts the references, and adds the anchors to `anchors`. Throws if ajv and `resolve` could find different targets: for a
 * reference out of the schema, a nested `$id`, a repeated anchor, a `$dynamicRef`, or a second `#`, which ajv removes.
 */
function collectReferences(value: unknown, anchors: Map<string, unknown>, isRoot: boolean): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (isRecord(value)) {
    // Below a nested `$id`, `#` would refer to another root.
    if (!isRoot && typeof value.$id === 'string') throw new Error('it has parts with an $id of their own')
    for (const anchor of [value.$anchor, value.$dynamicAnchor]) {
      if (typeof anchor !== 'string') continue
      if (anchors.has(anchor)) throw new Error(`it has two anchors '${anchor}'`)
      anchors.set(anchor, value)
    }
    if (typeof value.$dynamicRef === 'string') throw new Error('it has a $dynamicRef')
    for (const reference of REFERENCES.map((name) => value[name])) {
      if (typeof reference !== 'string') continue
      if (!/^#[^#]*$/.test(reference)) throw new Error(`it refers to ${reference}`)
      count += 1
    }
  }
  for (const inner of Object.values(value)) count += collectReferences(inner, anchors, false)
  return count
}

/** Finds the same target as ajv: otherwise a hostile schema could hide steps from the counter. */
function resolve(reference: string, root: JsonSchema, anchors: ReadonlyMap<string, unknown>): unknown {
  // ajv takes `#/` for the root. By RFC 6901 it is the key ''.
  if (reference === '#/') return root
  return reference.startsWith('#/') || reference === '#'
    ? resolvePointer(reference, root)
    : anchors.get(decodeURIComponent(reference.slice(1)))
}

function valuesOf(value: unknown): readonly unknown[] {
  return isRecord(value) ? Object.values(value) : []
}
