// The hints in errors for strategies that describe tools by parameters: correct the call, or ask for the schema.

import { parametersOf } from '../core/parameters/parameters.ts'
import type { Hints } from './strategy.ts'

/**
 * `ask` gives the call that returns the schema of a tool. `nameOf` gives the name that clients know, by default the
 * listed name.
 */
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
      hint: `Correct the arguments to fit \`details.parameters\` and call again.${ask === undefined ? '' : ` ${ask(nameOf(tool))} for the whole schema.`}`,
      details: { ...parametersOf(tool.inputSchema) },
    }),
  }
}
