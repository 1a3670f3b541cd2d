// The written form of a reference: a root (`$prev`, `$alias`) and a path (`.items[0]["a b"]`).

import { cutLongText } from '../../core/text.ts'

export interface Segment {
  readonly key: string | number
  /** As it was written. */
  readonly text: string
}

export interface Reference {
  /** A reserved word or an alias. */
  readonly root: string
  readonly path: readonly Segment[]
}

export const RESERVED_WORDS: ReadonlySet<string> = new Set(['prev', 'first', 'input', 'steps'])
export const ALIAS = /^[A-Za-z_][\w-]*$/

const START = /^\$[A-Za-z_]/
const ROOT = /^\$([A-Za-z_][\w-]*)/
const SEGMENT = /\.([^.[\]\s"']+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|\['((?:[^'\\]|\\.)*)'\]/sy

/** `$5.00` and `$` are plain text, and `$$x` is the text `$x`. */
export function isReference(value: unknown): value is string {
  return typeof value === 'string' && START.test(value)
}

/** The parts of a reference, or what is wrong with its form. */
export function parseReference(text: string): Reference | string {
  const root = ROOT.exec(text)?.[1] ?? ''
  const path: Segment[] = []
  let position = root.length + 1
  while (position < text.length) {
    SEGMENT.lastIndex = position
    const match = SEGMENT.exec(text)
    if (match === null) return `is not a reference: its path is malformed at '${cutLongText(text.slice(position), 40)}'`
    const [segment, name, index, ...quoted] = match
    const key = name ?? (index === undefined ? unquote(quoted) : Number(index))
    path.push({ key, text: segment })
    position += segment.length
  }
  if (root === 'steps' && path.length === 0) return 'needs [n] or .alias after it'
  return { root, path }
}

function unquote(quoted: readonly (string | undefined)[]): string {
  return (quoted.find((text) => text !== undefined) ?? '').replace(/\\(.)/gs, '$1')
}
