// Token counts by the o200k tokenizer; loaded when the first count is asked for, because its table is large.

import { nextStop, ownCopy, STRIDE } from './token-strides.ts'

/** Exact but for runs of hundreds of characters without a break, of which it is an estimate. */
export type CountTokens = (text: string) => number

// Text is only text: what spells a control word of the tokenizer is counted like any other.
const PLAIN = { disallowedSpecial: new Set<string>() }

let loading: Promise<CountTokens> | undefined

export function loadTokenCounter(): Promise<CountTokens> {
  loading ??= import('gpt-tokenizer/encoding/o200k_base').then(({ countTokens }) => {
    const count: CountTokens = (text) => countTokens(text, PLAIN)
    return (text) => (text.length <= STRIDE ? count(text) : countInStrides(text, count))
  })
  return loading
}

function countInStrides(text: string, count: CountTokens): number {
  let tokens = 0
  for (let at = 0; at < text.length; ) {
    const { to } = nextStop(text, at)
    tokens += count(ownCopy(text.slice(at, to)))
    at = to
  }
  return tokens
}
