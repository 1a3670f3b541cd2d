// A keyed hash of the canonical JSON of arguments. Without the key, the arguments cannot be guessed from the hash.

import { createHmac, type KeyObject } from 'node:crypto'
import type { Sample, Sampled, SampledText } from './argument-sample.ts'

interface ArgumentHash {
  readonly hash: string
  /** The length of the JSON. If the sample is partial, only the sampled part is counted. */
  readonly bytes: number
}

const HASH_CHARS = 32

export function hashArguments({ root }: Sampled, key: KeyObject): ArgumentHash {
  const json = canonical(root)
  return { hash: keyedHash(json, key), bytes: Buffer.byteLength(json) }
}

/** Takes a key object, because Node 24 makes one from the bytes of a key at each call, which takes 10 µs. */
export function keyedHash(text: string, key: KeyObject): string {
  return createHmac('sha256', key).update(text).digest('hex').slice(0, HASH_CHARS)
}

/** JSON with sorted keys. A cut text, list or object has a mark with a size. Other values are written as their type. */
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
