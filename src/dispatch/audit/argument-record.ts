// The forms in which the audit log shows arguments: a keyed hash, their shape and, if `values` is set, their values.

import { cutLongText } from '../../core/text.ts'
import type { Sample, Sampled, SampledList, SampledObject, SampledText } from './argument-sample.ts'
import type { KeyedHash } from './keyed-hash.ts'

interface ArgumentHash {
  readonly hash: string
  /** The length of the canonical JSON. If the sample is partial, only the sampled part is counted. */
  readonly bytes: number
}

/** `{ path: 'string', edits: [{ line: 'number' }] }`. A list shows up to MAX_KINDS different shapes. */
export type Shape = string | readonly Shape[] | { readonly [key: string]: Shape }

type Shown = null | boolean | number | string | readonly Shown[] | { readonly [key: string]: Shown }

/** Removes known secrets from a text. */
export type Redact = (text: string) => string

const HASH_CHARS = 32

const MAX_SHAPES = 128
const MAX_DEPTH = 5
const MAX_KEYS = 32
const MAX_KEY_CHARS = 64
const MAX_ITEMS_READ = 8
const MAX_KINDS = 3

const MAX_CHARS = 10_000
const MAX_VALUES = 1_000
const MAX_TEXT_CHARS = 4_000

/** Longer secrets are not supported. */
const MAX_SECRET_CHARS = 8_192

/** A hash of the canonical JSON of arguments. Without the key, the arguments cannot be guessed from it. */
export function hashArguments({ root }: Sampled, hash: KeyedHash): ArgumentHash {
  const json = canonical(root)
  return { hash: hash(json).slice(0, HASH_CHARS), bytes: Buffer.byteLength(json) }
}

/**
 * JSON with sorted keys. A cut text, list or object ends with `…` and a number. A value that JSON cannot express is
 * written as its type. Absent arguments give an empty text.
 */
function canonical(sample: Sample): string {
  if (sample === null || typeof sample !== 'object') return JSON.stringify(sample)
  if (sample.kind === 'text') return textJson(sample)
  if (sample.kind === 'other') return sample.type === 'undefined' ? '' : `<${sample.type}>`
  const { more } = sample
  const rest = more === 0 ? '' : `…${more}`
  if (sample.kind === 'list') return `[${sample.items.map(canonical).join(',')}${rest}]`
  const members = sample.entries
    .toSorted(([a], [b]) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(([key, value]) => `${textJson(key)}:${canonical(value)}`)
  return `{${members.join(',')}${rest}}`
}

function textJson({ text, chars }: SampledText): string {
  const json = JSON.stringify(text)
  return chars === text.length ? json : `${json}…${chars}`
}

/** The keys and types of arguments without their values, short enough for one log line. */
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

/** The argument values, limited in size and without known secrets. */
export function valuesOf(root: Sample, redact: Redact): Shown {
  let charsLeft = MAX_CHARS
  let valuesLeft = MAX_VALUES

  const text = (sampled: SampledText): string => {
    const shown = redactedText(sampled, Math.min(MAX_TEXT_CHARS, charsLeft), redact)
    charsLeft -= shown.length
    return shown
  }

  const walk = (sample: Sample): Shown => {
    valuesLeft -= 1
    if (sample === null || typeof sample !== 'object') return sample
    if (sample.kind === 'text') return text(sample)
    if (sample.kind === 'other') return `<${sample.type}>`
    if (valuesLeft <= 0 || charsLeft <= 0) return '…'
    if (sample.kind === 'list') return sample.items.slice(0, valuesLeft).map(walk)
    return Object.fromEntries(sample.entries.slice(0, valuesLeft).map(([key, value]) => [text(key), walk(value)]))
  }

  return walk(root)
}

/** The first `max` characters, without known secrets and without parts of them. */
export function redactedText({ text, chars }: Omit<SampledText, 'kind'>, max: number, redact: Redact): string {
  const inspected = text.slice(0, max + MAX_SECRET_CHARS)
  const isCut = inspected.length < chars
  const redacted = redact(inspected)
  // Redaction does not find the start of a secret at the cut end of the text, so that end is not shown.
  const safe = isCut ? redacted.slice(0, Math.max(0, redacted.length - MAX_SECRET_CHARS)) : redacted
  return isCut ? `${safe.slice(0, Math.max(0, max - 1))}…` : cutLongText(safe, max)
}
