// The syntax of a reference: a root (`$prev`, `$alias`) and a path (`.items[0]["a b"]`).

import { cutLongText } from '../../core/text.ts'

export interface PathSegment {
  readonly key: string | number
  /** The source text of the segment. */
  readonly text: string
}

export interface PipeReference {
  /** A reserved word or an alias. */
  readonly root: string
  readonly path: readonly PathSegment[]
}

export const RESERVED_WORDS: ReadonlySet<string> = new Set(['prev', 'first', 'input', 'steps'])
export const ALIAS = /^[A-Za-z_][\w-]*$/

const START = /^\$[A-Za-z_]/
const ROOT = /^\$([A-Za-z_][\w-]*)/
const SEGMENT = /\.([^.[\]\s"']+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|\['((?:[^'\\]|\\.)*)'\]/sy

/** `$5.00` and `$` are plain text. `$$x` is the escaped text `$x`. */
export function isReference(value: unknown): value is string {
  return typeof value === 'string' && START.test(value)
}

/** Returns the parts of a reference, or the problem with its syntax. */
export function parseReference(text: string): PipeReference | string {
  const root = ROOT.exec(text)?.[1] ?? ''
  const path: PathSegment[] = []
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
