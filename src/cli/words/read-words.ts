// Parses command lines that can be answered from the cache, here called plain. Other lines need the whole program.

import type { CommonFlags } from '../output/work.ts'
import { withCommandFirst } from './options.ts'

/** The options by name: `true` for an option that takes a value. */
type Options = Readonly<Record<string, boolean>>

export interface PlainLine {
  readonly command: string
  readonly operands: readonly string[]
  readonly flags: CommonFlags & Readonly<Record<string, string | boolean>>
}

const COMMON: Options = { json: false, quiet: false, config: true }

/** The options that an answer from the cache supports. A test compares them with the options of each command. */
export const OPTIONS: Readonly<Record<string, Options>> = {
  list: COMMON,
  search: { ...COMMON, server: true, limit: true },
  tools: { ...COMMON, all: false, tags: false },
}

/** How many operands each command takes. */
const OPERANDS: Readonly<Record<string, readonly [min: number, max: number]>> = {
  list: [0, 0],
  search: [1, Number.POSITIVE_INFINITY],
  tools: [1, 1],
}

/** Undefined for other commands and options, and for words that are not valid: the whole program then reads the line. */
export function readWords(given: readonly string[]): PlainLine | undefined {
  const [command = '', ...words] = withCommandFirst(given)
  const options = Object.hasOwn(OPTIONS, command) ? OPTIONS[command] : undefined
  if (options === undefined) return undefined
  const [min, max] = OPERANDS[command] ?? [1, 0]
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
  return operands.length < min || operands.length > max ? undefined : { command, operands, flags }
}
