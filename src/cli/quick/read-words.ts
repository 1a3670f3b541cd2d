// Plain command lines of the three commands that answer from a file. What is not plain is left to the whole program.

import { withCommandFirst } from '../global-options.ts'
import type { CommonFlags } from '../work.ts'

/** `true` for an option that takes a value. */
export type Options = Readonly<Record<string, boolean>>

export interface PlainLine {
  readonly command: string
  readonly operands: readonly string[]
  readonly flags: CommonFlags & Readonly<Record<string, string | boolean>>
}

const COMMON: Options = { json: false, quiet: false, config: true }

/** Those that the answer from a file can honour; the tests hold them against what each command declares. */
export const OPTIONS: Readonly<Record<string, Options>> = {
  list: COMMON,
  search: { ...COMMON, server: true, limit: true },
  tools: { ...COMMON, all: false, tags: false },
}

const OPERANDS: Readonly<Record<string, readonly [least: number, most: number]>> = {
  list: [0, 0],
  search: [1, Number.POSITIVE_INFINITY],
  tools: [1, 1],
}

/** Undefined for a line that is not plain, or wrong: what is to be said of it is not said here. */
export function readWords(given: readonly string[]): PlainLine | undefined {
  const [command = '', ...words] = withCommandFirst(given)
  const options = Object.hasOwn(OPTIONS, command) ? OPTIONS[command] : undefined
  if (options === undefined) return undefined
  const [least, most] = OPERANDS[command] ?? [1, 0]
  const operands: string[] = []
  const flags: Record<string, string | boolean> = {}
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (!word.startsWith('-')) {
      operands.push(word)
      continue
    }
    const name = word === '-q' ? 'quiet' : word.replace(/^--/, '')
    const takesValue = Object.hasOwn(options, name) ? options[name] : undefined
    if (takesValue === undefined) return undefined
    if (!takesValue) {
      flags[name] = true
      continue
    }
    const value = words[++at]
    if (value === undefined || value.startsWith('-')) return undefined
    flags[name] = value
  }
  return operands.length < least || operands.length > most ? undefined : { command, operands, flags }
}
