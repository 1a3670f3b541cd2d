// Equality of two values by structure, for as long as the allowance lasts.

import type { Allowance } from './allowance.ts'

/** Two objects, a key and two values take about as long as this much text does. */
const PAIR_BYTES = 16
const KEY_BYTES = 8
const VALUE_BYTES = 4

/**
 * Undefined where the allowance does not last. Walks with a list, not the stack, and remembers pairs: a command's data
 * may be deep or circular.
 */
export function isEqual(left: unknown, right: unknown, allowance: Allowance): boolean | undefined {
  const compared = new Map<object, Set<object>>()
  const pairs: (readonly [Structure, Structure])[] = []

  /** Whether two values can be equal, as far as that shows without looking inside. */
  const mayBeEqual = (given: unknown, other: unknown): boolean | undefined => {
    const a = plain(given)
    const b = plain(other)
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

/** A date as the caller will read it. */
export function plain(value: unknown): unknown {
  return value instanceof Date ? value.toJSON() : value
}

/** Texts of one length are read to their end. */
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
