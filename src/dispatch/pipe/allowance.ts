// The byte limit of one pipe, and the size of values as JSON, counted without building the text.

/**
 * The limit for the size of all referenced values, counted per use, plus the size of the data that conditions compare.
 */
export const MAX_REFERENCED_BYTES = 8 * 1024 * 1024

export interface Allowance {
  /** The bytes of a value as JSON. Infinity for a value that is larger than the whole allowance. */
  sizeOf(value: unknown): number
  /** Uses up `bytes` and returns true, or returns false if fewer are left. */
  take(bytes: number): boolean
}

/** The allowance of one run of a pipe. Without it, two references to `$prev` in each step would double the data. */
export function createAllowance(maxBytes = MAX_REFERENCED_BYTES): Allowance {
  let left = maxBytes
  return {
    sizeOf: createJsonSize(maxBytes),
    take(bytes) {
      if (bytes > left) return false
      left -= bytes
      return true
    },
  }
}

/** A smaller size is not cached: counting it again is faster. */
const MIN_KEPT_BYTES = 64
/**
 * JSON.stringify fails on deeper values. The limit also stops an object with a toJSON that returns a new copy of
 * itself.
 */
const MAX_LEVELS = 10_000

/**
 * Returns Infinity above `maxBytes`. Each object is counted once and its size is cached, because shared parts can be
 * small in memory and huge as text. Counted values must not change afterwards.
 */
export function createJsonSize(maxBytes: number): Allowance['sizeOf'] {
  // Not a WeakMap: with millions of entries its garbage collection takes minutes. The map lives as long as one run.
  const sizes = new Map<object, number>()

  return (given) => {
    const frames: Frame[] = []
    const enter = (value: unknown): number => {
      if (!isObject(value)) return typeof value === 'string' ? sizeOfText(value, maxBytes) : sizeOfScalar(value)
      const known = sizes.get(value)
      if (known !== undefined) return known
      // Infinity until the object is counted: this is also the result for an object that contains itself.
      sizes.set(value, Number.POSITIVE_INFINITY)
      frames.push(openFrame(value))
      return 0
    }
    const size = enter(asWritten(given))
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      if (frame.bytes > maxBytes) return Number.POSITIVE_INFINITY
      if (frames.length > MAX_LEVELS) {
        // The objects inside may be within the depth limit, so their provisional size is removed from the cache.
        for (const { owner } of frames.slice(1)) sizes.delete(owner)
        return Number.POSITIVE_INFINITY
      }
      if (frame.next < frame.length) {
        const key = frame.keys?.[frame.next] ?? frame.next
        frame.next++
        const value = asWritten(frame.owner[key])
        if (typeof key === 'string' && isLeftOut(value)) continue
        frame.bytes += frame.comma + (typeof key === 'string' ? sizeOfText(key) + 1 : 0)
        frame.comma = 1
        frame.bytes += enter(value)
        continue
      }
      if (frame.bytes < MIN_KEPT_BYTES) sizes.delete(frame.owner)
      else sizes.set(frame.owner, frame.bytes)
      frames.pop()
      const parent = frames.at(-1)
      if (parent === undefined) return frame.bytes
      parent.bytes += frame.bytes
    }
    return size > maxBytes ? Number.POSITIVE_INFINITY : size
  }
}

/** An object or a list. The entries before `next` are counted. */
interface Frame {
  readonly owner: Readonly<Record<PropertyKey, unknown>>
  /** Undefined for a list. */
  readonly keys: readonly string[] | undefined
  readonly length: number
  next: number
  bytes: number
  /** 0 before the first entry, because it has no comma. */
  comma: 0 | 1
}

function openFrame(owner: Readonly<Record<PropertyKey, unknown>>): Frame {
  const keys = Array.isArray(owner) ? undefined : Object.keys(owner)
  const { length } = keys ?? (owner as unknown as readonly unknown[]) // without keys it is a list
  return { owner, keys, length, next: 0, bytes: 2, comma: 0 }
}

/** The value itself, or for an object with `toJSON`, such as a date, the value that JSON.stringify writes instead. */
export function asWritten(value: unknown): unknown {
  if (!isObject(value) || typeof value.toJSON !== 'function') return value
  try {
    return value.toJSON()
  } catch {
    // The error is reported later, when the value is really encoded.
    return null
  }
}

/** A text that JSON writes without escapes, with one byte for each character. */
const PLAIN = /^[ !#-[\]-~]*$/

function sizeOfText(text: string, maxBytes = Number.POSITIVE_INFINITY): number {
  // A long text is not scanned: its length already exceeds the limit.
  if (text.length > maxBytes) return Number.POSITIVE_INFINITY
  return PLAIN.test(text) ? text.length + 2 : Buffer.byteLength(JSON.stringify(text))
}

function sizeOfScalar(value: unknown): number {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value).length : 4
  // Other values are written as null in a list.
  return value === false ? 5 : 4
}

function isLeftOut(value: unknown): boolean {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol'
}

export function isObject(value: unknown): value is Readonly<Record<PropertyKey, unknown>> {
  return typeof value === 'object' && value !== null
}
