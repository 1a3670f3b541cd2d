// What errors tell a client to do next where tools are described by parameters: correct the call, or ask for the schema.

import { parametersOf } from '../core/parameters/parameters.ts'
import type { Hints } from './strategy.ts'

/** `ask` says which call gives the schema of a tool. */
export function parameterHints(find: string, ask?: (name: string) => string): Hints {
  return {
    noun: 'tool',
    find,
    invalid: ({ listedName, inputSchema }) => ({
      hint: `Correct the arguments by \`details.parameters\` and call again.${ask === undefined ? '' : ` ${ask(listedName)} for the whole schema.`}`,
      details: { ...parametersOf(inputSchema) },
    }),
  }
}
