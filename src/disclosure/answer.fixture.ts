// For the tests of this folder: what a client reads in the answer of a strategy's tool.

import type { CommandResult } from '../core/result.ts'

/** Every block of the answer, which are all JSON. */
export function blocksOf(result: CommandResult): unknown[] {
  const { wire } = result
  if (wire === undefined) throw new Error(`No answer, but ${JSON.stringify(result)}`)
  return wire.content.map((block) => {
    if (block.type !== 'text') throw new Error(`A block of type ${block.type}`)
    return JSON.parse(block.text)
  })
}
