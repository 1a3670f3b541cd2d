// Copies arguments into plain data of limited size. Accepts any value, and does not run getters.

export type Sample = null | boolean | number | SampledText | SampledList | SampledObject | SampledOther

export interface SampledText {
  readonly kind: 'text'
  readonly text: string
  /** The length of the whole text. It is greater than the length of `text` if the text was cut. */
  readonly chars: number
}

export interface SampledList {
  readonly kind: 'list'
  readonly items: readonly Sample[]
  /** The number of items that were not read. */
  readonly more: number
}

export interface SampledObject {
  readonly kind: 'object'
  readonly entries: readonly (readonly [key: SampledText, value: Sample])[]
  /** The number of keys that were not read. */
  readonly more: number
}

/**
 * A value that JSON cannot express (a bigint, a function), a property with a getter, or an object that cannot be read
 * or is nested too deeply.
 */
interface SampledOther {
  readonly kind: 'other'
  readonly type: string
}

export interface Sampled {
  readonly root: Sample
  /** True if something was cut, left out or replaced with its type. */
  readonly isPartial: boolean
  /** Estimated memory use of the sample. */
  readonly heldBytes: number
}

const BYTES_PER_VALUE = 64
const MAX_VALUES = 10_000
const MAX_CHARS = 1_000_000
const MAX_DEPTH = 64

export function sampleOf(value: unknown): Sampled {
  let valuesLeft = MAX_VALUES
  let charsLeft = MAX_CHARS
  let isPartial = false

  const other = (type: string): SampledOther => {
    isPartial = true
    return { kind: 'other', type }
  }

  const text = (full: string): SampledText => {
    const kept = full.length <= charsLeft ? full : full.slice(0, charsLeft)
    charsLeft -= kept.length
    if (kept.length < full.length) isPartial = true
    return { kind: 'text', text: kept, chars: full.length }
  }

  const list = (array: readonly unknown[], depth: number): Sample => {
    const items: Sample[] = []
    const { length } = array
    while (items.length < length && valuesLeft > 0) {
      const item = member(array, String(items.length), depth)
      // JSON writes a hole in a list as null.
      items.push(item === undefined ? null : item)
    }
    if (items.length < length) isPartial = true
    return { kind: 'list', items, more: length - items.length }
  }

  const object = (record: object, depth: number): Sample => {
    const entries: (readonly [SampledText, Sample])[] = []
    const keys = Object.keys(record)
    let seen = 0
    while (seen < keys.length && valuesLeft > 0) {
      const key = keys[seen++] ?? ''
      const item = member(record, key, depth)
      if (item !== undefined) entries.push([text(key), item])
    }
    if (seen < keys.length) isPartial = true
    return { kind: 'object', entries, more: keys.length - seen }
  }

  /** Returns undefined for a property that is absent or undefined. */
  const member = (owner: object, key: string, depth: number): Sample | undefined => {
    const property = Object.getOwnPropertyDescriptor(owner, key)
    valuesLeft -= 1
    if (property === undefined || ('value' in property && property.value === undefined)) return undefined
    return 'value' in property ? walk(property.value, depth + 1) : other('getter')
  }

  const walk = (current: unknown, depth: number): Sample => {
    if (current === null || typeof current === 'boolean') return current
    if (typeof current === 'number') return Number.isFinite(current) ? current : null
    if (typeof current === 'string') return text(current)
    if (typeof current !== 'object') return other(typeof current)
    // This also ends the walk of a circular object.
    if (depth >= MAX_DEPTH) return other('deep')
    try {
      return Array.isArray(current) ? list(current, depth) : object(current, depth)
    } catch {
      // A proxy can throw on any access.
      return other('unreadable')
    }
  }

  const root = walk(value, 0)
  return { root, isPartial, heldBytes: MAX_CHARS - charsLeft + (MAX_VALUES - valuesLeft) * BYTES_PER_VALUE }
}
