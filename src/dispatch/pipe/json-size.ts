// How many bytes a value has as JSON, counted without writing it.

export type JsonSize = (value: unknown) => number

/** What is no longer than this is quicker counted again than remembered. */
const MIN_KEPT_BYTES = 64
/** Nothing so deep can be written. Without an end of its own, a toJSON that gives its object anew would have none. */
const MAX_LEVELS = 10_000

/**
 * Counts up to `maxBytes`; more than that is Infinity. An object is counted once, however often it is met: what shares
 * its parts can be small in memory and endless as text. What was counted is kept and must not change any more.
 */
export function createJsonSize(maxBytes: number): JsonSize {
  // No WeakMap: with millions of entries its upkeep takes minutes. This one lives no longer than what it is made for.
  const known = new Map<object, number>()

  const atOnce = (value: unknown): number | undefined => {
    if (isObject(value)) return known.get(value)
    const size = typeof value === 'string' ? sizeOfText(value, maxBytes) : sizeOfWord(value)
    return size > maxBytes ? Number.POSITIVE_INFINITY : size
  }

  return (given) => {
    const frames: Frame[] = []
    const enter = (value: unknown): number => {
      const size = atOnce(value)
      if (size !== undefined || !isObject(value)) return size ?? 0
      // Until it is counted it is taken for endless, and that is what an object inside itself is.
      known.set(value, Number.POSITIVE_INFINITY)
      frames.push(openFrame(value))
      return 0
    }
    const size = enter(asWritten(given))
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      if (frame.bytes > maxBytes) return Number.POSITIVE_INFINITY
      if (frames.length > MAX_LEVELS) {
        // What is inside may be no deeper than it should be.
        for (const { owner } of frames.slice(1)) known.delete(owner)
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
      if (frame.bytes < MIN_KEPT_BYTES) known.delete(frame.owner)
      else known.set(frame.owner, frame.bytes)
      frames.pop()
      const around = frames.at(-1)
      if (around === undefined) return frame.bytes
      around.bytes += frame.bytes
    }
    return size
  }
}

/** An object or a list of which the entries before `next` are counted. */
interface Frame {
  readonly owner: Readonly<Record<PropertyKey, unknown>>
  /** Absent for a list. */
  readonly keys: readonly string[] | undefined
  readonly length: number
  next: number
  bytes: number
  /** 0 before the first entry. */
  comma: 0 | 1
}

function openFrame(owner: Readonly<Record<PropertyKey, unknown>>): Frame {
  const keys = Array.isArray(owner) ? undefined : Object.keys(owner)
  const { length } = keys ?? (owner as unknown as readonly unknown[]) // without keys it is a list
  return { owner, keys, length, next: 0, bytes: 2, comma: 0 }
}

/** What JSON writes in place of an object that says so itself, as a date does. */
function asWritten(value: unknown): unknown {
  if (!isObject(value) || typeof value.toJSON !== 'function') return value
  try {
    return value.toJSON()
  } catch {
    // Whoever writes it will find out, and say so.
    return null
  }
}

const PLAIN = /^[ !#-[\]-~]*$/

function sizeOfText(text: string, maxBytes = Number.POSITIVE_INFINITY): number {
  // Not looked at where its length says enough.
  if (text.length > maxBytes) return Number.POSITIVE_INFINITY
  return PLAIN.test(text) ? text.length + 2 : Buffer.byteLength(JSON.stringify(text))
}

function sizeOfWord(value: unknown): number {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value).length : 4
  // Whatever JSON has no word for is null in a list.
  return value === false ? 5 : 4
}

function isLeftOut(value: unknown): boolean {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol'
}

function isObject(value: unknown): value is Readonly<Record<PropertyKey, unknown>> {
  return typeof value === 'object' && value !== null
}
