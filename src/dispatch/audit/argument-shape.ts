// The shape of arguments: keys and types without values, short enough for one log line.

import type { Sample, SampledList, SampledObject } from './argument-sample.ts'
import { type Redact, redactedText } from './redacted-text.ts'

/** `{ path: 'string', edits: [{ line: 'number' }] }`. A list shows up to MAX_KINDS different shapes. */
export type Shape = string | readonly Shape[] | { readonly [key: string]: Shape }

const MAX_SHAPES = 128
const MAX_DEPTH = 5
const MAX_KEYS = 32
const MAX_KEY_CHARS = 64
const MAX_ITEMS_READ = 8
const MAX_KINDS = 3

export function shapeOf(root: Sample, redact: Redact): Shape {
  let shapesLeft = MAX_SHAPES

  const objectShape = ({ entries, more }: SampledObject, depth: number): Shape => {
    const shown: [string, Shape][] = []
    for (const [key, value] of entries) {
      if (shown.length >= MAX_KEYS || shapesLeft <= 0) break
      shown.push([redactedText(key, MAX_KEY_CHARS, redact), walk(value, depth + 1)])
    }
    const hidden = entries.length - shown.length + more
    if (hidden > 0) shown.push(['…', `${hidden} more`])
    // Object.fromEntries instead of assignment: a key can be `__proto__`.
    return Object.fromEntries(shown)
  }

  const listShape = ({ items }: SampledList, depth: number): Shape => {
    const kinds = new Map<string, Shape>()
    for (const item of items.slice(0, MAX_ITEMS_READ)) {
      if (kinds.size >= MAX_KINDS || shapesLeft <= 0) break
      const shape = walk(item, depth + 1)
      kinds.set(JSON.stringify(shape), shape)
    }
    return [...kinds.values()]
  }

  const walk = (sample: Sample, depth: number): Shape => {
    shapesLeft -= 1
    if (sample === null) return 'null'
    if (typeof sample !== 'object') return typeof sample
    if (sample.kind === 'text') return 'string'
    if (sample.kind === 'other') return sample.type
    if (depth >= MAX_DEPTH) return sample.kind
    return sample.kind === 'list' ? listShape(sample, depth) : objectShape(sample, depth)
  }

  return walk(root, 0)
}
