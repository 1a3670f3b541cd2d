// Conditions in a pipe (`when`): their form is checked before any step runs, then they are evaluated step by step.

import { isRecord } from '../../core/is-record.ts'
import { cutLongText, quoteList } from '../../core/text.ts'
import { type Allowance, asWritten, isObject } from './allowance.ts'
import { exists, isReference, type MissingValue, type PipeScope, resolveReferences } from './references.ts'

/** `{ $eq: ['$prev.status', 'open'] }`: an object with exactly one operator. */
export type Condition = Readonly<Record<string, unknown>>

/** The reason why a condition cannot be decided: a value is missing, or the comparison exceeds the allowance. */
export type Undecided = MissingValue | 'too-much'

/** Returns undefined if the comparison exceeds the allowance. */
type Comparison = (left: unknown, right: unknown, allowance: Allowance) => boolean | undefined

const comparisons: Readonly<Record<string, Comparison>> = {
  $eq: isEqual,
  $ne(left, right, allowance) {
    const equal = isEqual(left, right, allowance)
    return equal === undefined ? undefined : !equal
  },
  $gt: ordered((left, right) => left > right),
  $gte: ordered((left, right) => left >= right),
  $lt: ordered((left, right) => left < right),
  $lte: ordered((left, right) => left <= right),
}
const OPERATORS = ['$exists', ...Object.keys(comparisons), '$and', '$or', '$not']

/** Returns the problem with the form of a condition. Its references are checked separately. */
export function conditionProblem(condition: unknown): string | undefined {
  if (!isRecord(condition)) return `expected a condition like {"$exists": "$prev.id"}`
  const keys = Object.keys(condition)
  const operator = keys[0]
  if (operator === undefined) return `has no operator; use one of ${quoteList(OPERATORS)}`
  if (keys.length > 1) return `has ${keys.length} operators side by side; put them into "$and" or "$or"`
  const operand = condition[operator]
  switch (operator) {
    case '$exists':
      return isReference(operand) ? undefined : '$exists takes one reference, like "$prev.id"'
    case '$not':
      return conditionProblem(operand)
    case '$and':
    case '$or':
      if (!Array.isArray(operand) || operand.length === 0) return `${operator} takes a list of conditions`
      return operand.map(conditionProblem).find((problem) => problem !== undefined)
    default:
      if (!Object.hasOwn(comparisons, operator)) {
        return `unknown operator '${cutLongText(operator, 40)}'; use one of ${quoteList(OPERATORS)}`
      }
      return Array.isArray(operand) && operand.length === 2 ? undefined : `${operator} takes a list of two values`
  }
}

/**
 * Returns the truth value, or the reason why it cannot be decided. `$and` and `$or` stop at the first decisive
 * condition.
 */
export function evaluate(condition: Condition, scope: PipeScope): boolean | Undecided {
  const [operator = '', operand] = Object.entries(condition)[0] ?? []
  switch (operator) {
    case '$exists':
      return isReference(operand) && exists(operand, scope)
    case '$not': {
      const verdict = evaluate(operand as Condition, scope) // conditionProblem has checked the whole tree
      return typeof verdict === 'boolean' ? !verdict : verdict
    }
    case '$and':
      return firstDifferent(operand as readonly Condition[], scope, true) // as above
    case '$or':
      return firstDifferent(operand as readonly Condition[], scope, false) // as above
    default:
      return compare(operator, operand as readonly [unknown, unknown], scope) // as above
  }
}

/** Returns the first verdict that is not `expected`, or `expected` if all conditions have it. */
function firstDifferent(conditions: readonly Condition[], scope: PipeScope, expected: boolean): boolean | Undecided {
  for (const condition of conditions) {
    const verdict = evaluate(condition, scope)
    if (verdict !== expected) return verdict
  }
  return expected
}

function compare(operator: string, operands: readonly [unknown, unknown], scope: PipeScope): boolean | Undecided {
  const [left, right] = [resolveReferences(operands[0], scope), resolveReferences(operands[1], scope)]
  // A path without a value is an error, because it may be misspelled. The output of a skipped step counts as undefined.
  for (const side of [left, right]) if (!side.ok && !side.missing.isSkipped) return side.missing
  const [a, b] = [left, right].map((side) => (side.ok ? side.value : undefined))
  return comparisons[operator]?.(a, b, scope.allowance) ?? 'too-much'
}

/** Compares numbers with numbers and texts with texts. Every other comparison is false. */
function ordered(test: (left: number | string, right: number | string) => boolean): Comparison {
  return (left, right, allowance) => {
    const [a, b] = [asWritten(left), asWritten(right)]
    if (typeof a === 'number' && typeof b === 'number') return test(a, b)
    if (typeof a !== 'string' || typeof b !== 'string') return false
    return allowance.take(Math.min(a.length, b.length)) ? test(a, b) : undefined
  }
}

// The cost of a comparison, in bytes of text that take the same time to compare.
/** Added for each pair of objects or lists. */
const PAIR_BYTES = 16
/** Added for each key of both objects. */
const KEY_BYTES = 8
/** Added for each pair of values. Two texts of equal length also cost their length. */
const VALUE_BYTES = 4

/**
 * Returns whether the values are equal, or undefined if the comparison exceeds the allowance. It uses a list instead of
 * recursion and remembers compared pairs, because the data of a command can be deep or circular.
 */
function isEqual(left: unknown, right: unknown, allowance: Allowance): boolean | undefined {
  const compared = new Map<object, Set<object>>()
  const pairs: (readonly [Structure, Structure])[] = []

  /**
   * True: the values are equal, or they are objects or lists, which are queued for a deep comparison. False: they
   * differ. Undefined: the allowance is exceeded.
   */
  const mayBeEqual = (given: unknown, other: unknown): boolean | undefined => {
    const a = asWritten(given)
    const b = asWritten(other)
    if (!allowance.take(costOf(a, b))) return undefined
    if (a === b) return true
    if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return false
    const partners = compared.get(a) ?? new Set()
    if (partners.has(b)) return true
    compared.set(a, partners.add(b))
    pairs.push([a, b])
    return true
  }

  const first = mayBeEqual(left, right)
  if (first !== true) return first
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [a, b] = pair
    const [entries, others] = [countEntries(a), countEntries(b)]
    if (!allowance.take(PAIR_BYTES + (Array.isArray(a) ? 0 : KEY_BYTES * (entries + others)))) return undefined
    if (entries !== others) return false
    for (const key of Array.isArray(a) ? a.keys() : Object.keys(a)) {
      const verdict = (Array.isArray(b) || Object.hasOwn(b, key)) && mayBeEqual(a[key], b[key])
      if (verdict !== true) return verdict
    }
  }
  return true
}

/** Texts of different lengths are unequal at once, so their lengths cost nothing. */
function costOf(a: unknown, b: unknown): number {
  return VALUE_BYTES + (typeof a === 'string' && typeof b === 'string' && a.length === b.length ? a.length : 0)
}

function countEntries(value: Structure): number {
  return Array.isArray(value) ? value.length : Object.keys(value).length
}

type Structure = Readonly<Record<PropertyKey, unknown>>
