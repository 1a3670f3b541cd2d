// The hints in the errors of a command server: what the client should do next.

import { signature } from '../core/parameters/signature.ts'
import type { Hints } from './strategy.ts'

export function commandHints(prefix: string): Hints {
  return {
    noun: 'command',
    find: `${prefix}-discover`,
    nameOf: ({ listedName }) => listedName,
    invalid: ({ listedName, inputSchema }) => ({
      hint: `Call ${prefix}-detail with command '${listedName}' to see the expected input schema.`,
      details: { expected: signature(listedName, inputSchema) },
    }),
  }
}
