// What errors tell a client to do next where tools are described by parameters: correct the call, or ask for the schema.

import { parametersOf } from '../core/parameters/parameters.ts'
import type { Hints } from './strategy.ts'

/** `ask` says which call gives the schema of a tool; `nameOf` what clients call it, which is what it is listed as. */
export function parameterHints(
  find: string,
  ask?: (name: string) => string,
  nameOf: Hints['nameOf'] = ({ listedName }) => listedName,
): Hints {
  return {
    noun: 'tool',
    find,
    nameOf,
    invalid: (tool) => ({
      hint: `Correct the arguments by \`details.parameters\` and call again.${ask === undefined ? '' : ` ${ask(nameOf(tool))} for the whole schema.`}`,
      details: { ...parametersOf(tool.inputSchema) },
    }),
  }
}
