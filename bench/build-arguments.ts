// Builds the arguments of a tool only from the answer of get_tool_details.

import { isRecord } from '../src/core/is-record.ts'
import { exampleNumber, exampleString } from '../src/core/parameters/example-arguments.ts'
import type { ParameterList } from '../src/core/parameters/parameters.ts'
import { type ParsedField, type ParsedType, parseType } from './parse-type.ts'

export type Filled = 'required' | 'all'

/** The value is wrapped in an object, because undefined means that no value could be built. */
type Built = { readonly value: unknown } | undefined

/** Returns undefined if the answer does not contain enough information. */
export function buildArguments(answer: Partial<ParameterList>, filled: Filled): Record<string, unknown> | undefined {
  const parameters = (answer.parameters ?? []).map(({ name, type, required }) => ({
    name,
    type: parseType(type),
    isRequired: required === true,
  }))
  const plain = parameters.filter(({ name }) => name !== '[key]')
  const known = new Map(plain.map((field) => [field.name, field]))
  const [chosen = [], ...others] = (answer.oneOf ?? []).map(fieldsOf)
  // Exactly one of the alternatives is used; fields of the others are left out.
  const excluded = new Set(others.flat().map(({ name }) => name))
  const named = new Set(chosen.map(({ name }) => name))
  const fields = [
    ...plain.filter(({ name }) => !named.has(name) && !excluded.has(name)),
    ...chosen.map((field) => ({ ...field, type: field.type ?? known.get(field.name)?.type })),
  ]
  const built = build({ kind: 'object', fields, others: [], count: {} }, filled, 0, 0)
  return isRecord(built?.value) ? { ...built.value } : undefined
}

function fieldsOf(form: string): readonly ParsedField[] {
  const type = parseType(form)
  return type.kind === 'object' ? type.fields : []
}

/** Builds the value number `nth` of a type: items of a list that must be unique get different numbers. */
function build(type: ParsedType, filled: Filled, depth: number, nth: number): Built {
  switch (type.kind) {
    case 'any':
      return { value: 'example' }
    case 'null':
      return { value: null }
    case 'boolean':
      return { value: nth % 2 === 0 }
    case 'literal':
      return { value: type.value }
    case 'string':
      return boxed(exampleString(type, nth))
    case 'integer':
    case 'number':
      return boxed(exampleNumber(type, nth))
    case 'union':
      return firstBuilt(type.of, filled, depth, nth)
    case 'array':
      return buildArray(type, filled, depth)
    case 'object':
      return buildObject(type, filled, depth)
    default:
      return undefined
  }
}

function firstBuilt(types: readonly ParsedType[], filled: Filled, depth: number, nth: number): Built {
  const shift = nth % types.length
  for (const type of [...types.slice(shift), ...types.slice(0, shift)]) {
    const built = build(type, filled, depth, nth)
    if (built !== undefined) return built
  }
  return undefined
}

function buildArray(type: ParsedType & { kind: 'array' }, filled: Filled, depth: number): Built {
  const { min = 0, max = Number.POSITIVE_INFINITY } = type.count
  const wanted = Math.max(min, Math.min(filled === 'all' ? 1 : 0, max))
  const items: unknown[] = []
  for (let index = 0; index < wanted; index++) {
    const item = type.first[index] ?? type.rest
    const built = item === undefined ? undefined : build(item, filled, depth + 1, type.isUnique ? index : 0)
    if (built === undefined) return items.length >= min ? { value: items } : undefined
    items.push(built.value)
  }
  return { value: items }
}

function buildObject(type: ParsedType & { kind: 'object' }, filled: Filled, depth: number): Built {
  const { min = 0 } = type.count
  const entries = new Map<string, unknown>()
  const add = ({ name, type: of }: ParsedField) => {
    const built = of === undefined ? undefined : build(of, filled, depth + 1, 0)
    if (built !== undefined) entries.set(name, built.value)
    return built !== undefined
  }
  for (const field of type.fields) {
    const isWanted = field.isRequired || filled === 'all' || entries.size < min
    if (isWanted && !add(field) && field.isRequired) return undefined
  }
  for (const { key, value } of type.others) {
    if (filled === 'required' && entries.size >= min) break
    const name = key === undefined ? 'example' : build(key, filled, depth + 1, 0)?.value
    if (typeof name === 'string' && !entries.has(name)) add({ name, type: value, isRequired: false })
  }
  return { value: Object.fromEntries(entries) }
}

function boxed(value: unknown): Built {
  return value === undefined ? undefined : { value }
}
