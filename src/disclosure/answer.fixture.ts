// For the tests of strategies: reads the answer of a strategy's tool as a client does.

import type { CommandResult } from '../core/result.ts'

/** All blocks of the answer, parsed as JSON. */
export function blocksOf(result: CommandResult): unknown[] {
  const { wire } = result
  if (wire === undefined) throw new Error(`No answer, but ${JSON.stringify(result)}`)
  return wire.content.map((block) => {
    if (block.type !== 'text') throw new Error(`A block of type ${block.type}`)
    return JSON.parse(block.text)
  })
}
