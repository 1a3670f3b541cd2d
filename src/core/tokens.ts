// Token counts by the o200k tokenizer; loaded when the first count is asked for, because its table is large.

export type CountTokens = (text: string) => number

// Text is only text: what spells a control word of the tokenizer is counted like any other.
const PLAIN = { disallowedSpecial: new Set<string>() }

let loading: Promise<CountTokens> | undefined

export function loadTokenCounter(): Promise<CountTokens> {
  loading ??= import('gpt-tokenizer/encoding/o200k_base').then(
    ({ countTokens }) =>
      (text) =>
        countTokens(text, PLAIN),
  )
  return loading
}
