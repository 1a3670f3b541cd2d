// Parses the types that `parametersOf` writes. It uses only the text, because a model also has only the text.

import type { NumberForm, Range, StringForm } from '../src/core/parameters/schema-form.ts'

export interface ParsedField {
  readonly name: string
  /** Undefined if the text has only the name. */
  readonly type: ParsedType | undefined
  readonly isRequired: boolean
}

export type ParsedType =
  | { readonly kind: 'any' | 'never' | 'null' | 'boolean' | 'cut' }
  | { readonly kind: 'literal'; readonly value: unknown }
  | { readonly kind: 'union'; readonly of: readonly ParsedType[] }
  | StringForm
  | NumberForm
  | {
      readonly kind: 'array'
      readonly first: readonly ParsedType[]
      readonly rest: ParsedType | undefined
      readonly count: Range
      readonly isUnique: boolean
    }
  | {
      readonly kind: 'object'
      readonly fields: readonly ParsedField[]
      readonly others: readonly { readonly key: ParsedType | undefined; readonly value: ParsedType }[]
      readonly count: Range
    }

/** Throws if the text does not match the grammar. */
export function parseType(text: string): ParsedType {
  const reader = new Reader(text)
  const type = fieldType(reader)
  if (!reader.isAtEnd()) reader.fail('the end')
  return type
}

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  isAtEnd(): boolean {
    return this.#at >= this.#text.length
  }

  /** Consumes the match of the expression at the current position, if there is one. */
  take(expression: RegExp): RegExpExecArray | undefined {
    const sticky = new RegExp(expression.source, 'y')
    sticky.lastIndex = this.#at
    const found = sticky.exec(this.#text)
    if (found === null) return undefined
    this.#at = sticky.lastIndex
    return found
  }

  expect(expression: RegExp): RegExpExecArray {
    return this.take(expression) ?? this.fail(expression.source)
  }

  fail(wanted: string): never {
    throw new SyntaxError(`${wanted} expected at ${this.#at} of ${this.#text}`)
  }
}

/** A type, optionally with a default and a comment. */
function fieldType(reader: Reader): ParsedType {
  const type = union(reader)
  if (reader.take(/ = /)) primary(reader)
  reader.take(/ \/\*(?:(?!\*\/).)*\*\//)
  return type
}

function union(reader: Reader): ParsedType {
  const of = [limited(reader)]
  while (reader.take(/\|/)) of.push(limited(reader))
  const [only] = of
  return of.length === 1 && only !== undefined ? only : { kind: 'union', of }
}

function limited(reader: Reader): ParsedType {
  let type = primary(reader)
  for (;;) {
    while (reader.take(/\[\]/)) type = { kind: 'array', first: [], rest: type, count: {}, isUnique: false }
    const next = limit(reader, type)
    if (next === undefined) return type
    type = next
  }
}

const NUMBER = '-?\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?'
const RANGE = new RegExp(` (?:(${NUMBER})\\.\\.(${NUMBER})|(>=|<=|>|<)(${NUMBER})|(${NUMBER}))( chars| items| keys)?`)

function limit(reader: Reader, type: ParsedType): ParsedType | undefined {
  if (reader.take(/ …/)) return type
  const range = reader.take(RANGE)
  if (range !== undefined) return withRange(type, range)
  if (type.kind === 'array' && reader.take(/ unique/)) return { ...type, isUnique: true }
  if (type.kind === 'integer' || type.kind === 'number') {
    const step = reader.take(new RegExp(` multiple of (${NUMBER})`))
    return step === undefined ? undefined : { ...type, step: Number(step[1]) }
  }
  if (type.kind !== 'string') return undefined
  const pattern = reader.take(/ \/((?!\*)(?:\\.|[^/\\])+)\//)
  if (pattern !== undefined) return { ...type, pattern: (pattern[1] ?? '').replaceAll('\\/', '/') }
  const format = reader.take(/ ([A-Za-z][\w.:-]*)/)
  return format === undefined ? undefined : { ...type, format: format[1] ?? '' }
}

function withRange(type: ParsedType, [, from, to, sign, bound, exact]: RegExpExecArray): ParsedType {
  const low = from ?? (sign === '>=' ? bound : undefined) ?? exact
  const high = to ?? (sign === '<=' ? bound : undefined) ?? exact
  const range = {
    ...(low === undefined ? {} : { min: Number(low) }),
    ...(high === undefined ? {} : { max: Number(high) }),
  }
  switch (type.kind) {
    case 'string':
      return { ...type, length: range }
    case 'integer':
    case 'number':
      if (sign === '>') return { ...type, above: Number(bound) }
      return sign === '<' ? { ...type, below: Number(bound) } : { ...type, ...range }
    case 'array':
    case 'object':
      return { ...type, count: range }
    default:
      return type
  }
}

function primary(reader: Reader): ParsedType {
  if (reader.take(/\(/)) {
    const inner = union(reader)
    reader.expect(/\)/)
    return inner
  }
  if (reader.take(/…(?:\+\d+)?/)) return { kind: 'cut' }
  const quoted = reader.take(/'((?:\\.|[^'\\])*)'/)
  if (quoted !== undefined) return { kind: 'literal', value: unquoted(quoted[1] ?? '') }
  if (reader.take(/\{/)) return objectType(reader)
  if (reader.take(/\[/)) return tupleType(reader)
  const number = reader.take(new RegExp(NUMBER))
  if (number !== undefined) return { kind: 'literal', value: Number(number[0]) }
  const [word] = reader.expect(/[a-z]+/)
  return WORDS.get(word) ?? reader.fail('a type')
}

const WORDS: ReadonlyMap<string, ParsedType> = new Map<string, ParsedType>([
  ['string', { kind: 'string', length: {} }],
  ['integer', { kind: 'integer' }],
  ['number', { kind: 'number' }],
  ['boolean', { kind: 'boolean' }],
  ['null', { kind: 'null' }],
  ['any', { kind: 'any' }],
  ['never', { kind: 'never' }],
  ['object', { kind: 'object', fields: [], others: [], count: {} }],
  ['true', { kind: 'literal', value: true }],
  ['false', { kind: 'literal', value: false }],
])

function tupleType(reader: Reader): ParsedType {
  const first: ParsedType[] = []
  let rest: ParsedType | undefined
  while (reader.take(/\]/) === undefined) {
    if (first.length > 0 || rest !== undefined) reader.expect(/, /)
    if (reader.take(/\.\.\./)) {
      const list = limited(reader)
      rest = list.kind === 'array' ? list.rest : list
    } else first.push(union(reader))
  }
  return { kind: 'array', first, rest, count: { min: first.length }, isUnique: false }
}

function objectType(reader: Reader): ParsedType {
  const fields: ParsedField[] = []
  const others: { key: ParsedType | undefined; value: ParsedType }[] = []
  let isFirst = true
  while (reader.take(/\}/) === undefined) {
    if (!isFirst) reader.expect(/, /)
    isFirst = false
    if (reader.take(/…\+\d+/)) continue
    if (reader.take(/\[key/)) {
      const key = reader.take(/: /) === undefined ? undefined : union(reader)
      reader.expect(/\]: /)
      others.push({ key, value: fieldType(reader) })
      continue
    }
    const quoted = reader.take(/'((?:\\.|[^'\\])*)'/)
    const name = quoted === undefined ? reader.expect(/[\w$@.-]+/)[0] : unquoted(quoted[1] ?? '')
    const isRequired = reader.take(/\?/) === undefined
    fields.push({ name, isRequired, type: reader.take(/: /) === undefined ? undefined : fieldType(reader) })
  }
  return { kind: 'object', fields, others, count: {} }
}

function unquoted(inner: string): string {
  const text: unknown = JSON.parse(
    `"${inner.replaceAll("\\'", "'").replaceAll(/\\.|"/g, (found) => (found === '"' ? '\\"' : found))}"`,
  )
  return String(text)
}
