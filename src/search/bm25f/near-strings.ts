// Finds strings that are a few edits away from a text, or that start with it.

/** The lengths of the strings that can be found. */
const SHORTEST = 3
const LONGEST = 64

interface NearString {
  readonly position: number
  readonly distance: number
}

export class NearStrings {
  readonly #text: (position: number) => string
  /** The positions of the strings sorted by length, and where each length starts. */
  readonly #positions: Uint32Array
  readonly #starts = new Uint32Array(LONGEST + 3)
  /** The result of `lettersOf` for each string, in the order of `#positions`. */
  readonly #letters: Int32Array

  /** `positions` are the positions of the strings, and `text` returns the string at a position. */
  constructor(positions: Iterable<number>, text: (position: number) => string) {
    this.#text = text
    const byLength: number[][] = Array.from({ length: LONGEST + 1 }, () => [])
    for (const position of positions) {
      const { length } = text(position)
      if (length >= SHORTEST) byLength[length]?.push(position)
    }
    byLength.forEach((some, length) => {
      this.#starts[length + 1] = (this.#starts[length] ?? 0) + some.length
    })
    this.#starts[LONGEST + 2] = this.#starts[LONGEST + 1] ?? 0
    this.#positions = Uint32Array.from(byLength.flat())
    this.#letters = Int32Array.from(this.#positions, (position) => lettersOf(text(position)))
  }

  /** The strings within `maxEdits`, unordered. */
  near(wanted: string, maxEdits: number): NearString[] {
    if (wanted.length < SHORTEST || wanted.length > LONGEST) return []
    const letters = lettersOf(wanted)
    const from = this.#starts[Math.max(wanted.length - maxEdits, 0)] ?? 0
    const end = this.#starts[Math.min(wanted.length + maxEdits, LONGEST) + 1] ?? 0
    const found: NearString[] = []
    for (let at = from; at < end; at++) {
      // An edit changes at most two of the letters that occur. This check excludes most strings without comparing them.
      if (bitsIn((this.#letters[at] ?? 0) ^ letters) > 2 * maxEdits) continue
      const position = this.#positions[at] ?? 0
      const distance = editDistance(wanted, this.#text(position), maxEdits)
      if (distance <= maxEdits) found.push({ position, distance })
    }
    return found
  }

  /** The positions of the strings that start with `beginning` and are longer. */
  longer(beginning: string): number[] {
    const letters = lettersOf(beginning)
    const found: number[] = []
    for (let at = this.#starts[Math.min(beginning.length + 1, LONGEST + 1)] ?? 0; at < this.#positions.length; at++) {
      if ((letters & ~(this.#letters[at] ?? 0)) !== 0) continue
      const position = this.#positions[at] ?? 0
      if (this.#text(position).startsWith(beginning)) found.push(position)
    }
    return found
  }
}

/** The number of edits. Swapping two neighbours is one edit. Returns a number above `max` if more are needed. */
export function editDistance(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return max + 1
  let older: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const changed = (previous[column - 1] ?? 0) + (a.charCodeAt(row - 1) === b.charCodeAt(column - 1) ? 0 : 1)
      const cost = Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, changed)
      const isSwap =
        a.charCodeAt(row - 1) === b.charCodeAt(column - 2) && a.charCodeAt(row - 2) === b.charCodeAt(column - 1)
      current[column] = isSwap ? Math.min(cost, (older[column - 2] ?? 0) + 1) : cost
    }
    if (Math.min(...current) > max) return max + 1
    older = previous
    previous = current
  }
  return previous[b.length] ?? 0
}

/** One bit for each letter that occurs. Characters that are not letters share these bits. */
function lettersOf(text: string): number {
  let letters = 0
  for (let at = 0; at < text.length; at++) letters |= 1 << (text.charCodeAt(at) & 31)
  return letters
}

/** The number of bits that are 1. */
function bitsIn(value: number): number {
  let bits = value - ((value >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
