// The argument values for a log with `values` set: bounded, and without known secrets.

import type { Sample, SampledText } from './argument-sample.ts'
import { type Redact, redactedText } from './redacted-text.ts'

type Shown = null | boolean | number | string | readonly Shown[] | { readonly [key: string]: Shown }

const MAX_CHARS = 10_000
const MAX_VALUES = 1_000
const MAX_TEXT_CHARS = 4_000

export function valuesOf(root: Sample, redact: Redact): Shown {
  let chars = MAX_CHARS
  let values = MAX_VALUES

  const text = (sampled: SampledText): string => {
    const shown = redactedText(sampled, Math.min(MAX_TEXT_CHARS, chars), redact)
    chars -= shown.length
    return shown
  }

  const walk = (sample: Sample): Shown => {
    values -= 1
    if (sample === null || typeof sample !== 'object') return sample
    if (sample.kind === 'text') return text(sample)
    if (sample.kind === 'other') return `<${sample.type}>`
    if (values <= 0 || chars <= 0) return '…'
    if (sample.kind === 'list') return whileRoom(sample.items).map(walk)
    return Object.fromEntries(whileRoom(sample.entries).map(([key, value]) => [text(key), walk(value)]))
  }

  const whileRoom = <T>(all: readonly T[]): readonly T[] => all.slice(0, Math.max(0, values))

  return walk(root)
}
