// The argument values for an audit log with `values` set: limited in size, and without known secrets.

import type { Sample, SampledText } from './argument-sample.ts'
import { type Redact, redactedText } from './redacted-text.ts'

type Shown = null | boolean | number | string | readonly Shown[] | { readonly [key: string]: Shown }

const MAX_CHARS = 10_000
const MAX_VALUES = 1_000
const MAX_TEXT_CHARS = 4_000

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
    if (sample.kind === 'list') return firstThatFit(sample.items).map(walk)
    return Object.fromEntries(firstThatFit(sample.entries).map(([key, value]) => [text(key), walk(value)]))
  }

  const firstThatFit = <T>(all: readonly T[]): readonly T[] => all.slice(0, Math.max(0, valuesLeft))

  return walk(root)
}
