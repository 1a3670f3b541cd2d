// Compares two values part by part, as JSON shows them. The allowance of the pipe limits the work.

import type { Allowance } from './allowance.ts'
import { asWritten } from './json-size.ts'

// The costs, each as the number of text bytes that take the same time to compare.
/** The cost of opening two objects or two lists. */
const PAIR_BYTES = 16
/** The cost of each key of two objects. */
const KEY_BYTES = 8
/** The cost of two values, in addition to that of equally long texts. */
const VALUE_BYTES = 4

/**
 * Returns whether the values are equal, or undefined if the comparison exceeds the allowance. It uses a list instead of
 * recursion and remembers compared pairs, because the data of a command can be deep or circular.
 */
export function isEqual(left: unknown, right: unknown, allowance: Allowance): boolean | undefined {
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
    if (!isStructure(a) || !isStructure(b) || Array.isArray(a) !== Array.isArray(b)) return false
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

/** Texts of equal length are compared to the end. */
function costOf(a: unknown, b: unknown): number {
  return VALUE_BYTES + (typeof a === 'string' && typeof b === 'string' && a.length === b.length ? a.length : 0)
}

function countEntries(value: Structure): number {
  return Array.isArray(value) ? value.length : Object.keys(value).length
}

type Structure = Readonly<Record<PropertyKey, unknown>>

function isStructure(value: unknown): value is Structure {
  return typeof value === 'object' && value !== null
}
