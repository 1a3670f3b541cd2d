// individual: every tool under its own name with its full schema, and the built-ins beside them.

import { z } from 'zod'
import { createAfdTools } from './afd/afd-tools.ts'
import { listInFull } from './listed.ts'
import { parameterHints } from './parameter-hints.ts'
import { defineStrategy } from './strategy.ts'

export const individual = defineStrategy({
  name: 'individual',
  options: z.strictObject({
    /** Whether afd-call, afd-batch and afd-pipe are there too. */
    builtins: z.boolean().optional(),
  }),
  create({ builtins }, environment) {
    const own = 'Every command is a tool of its own: call it by its name.'
    if (!(builtins ?? environment.builtins ?? true)) {
      return {
        metaTools: [],
        hints: parameterHints('tools/list'),
        listsCatalog: true,
        list: async (view) => view.visible.tools.map(listInFull),
        guide: own,
      }
    }
    const { all, call, batch, pipe } = createAfdTools(environment)
    const listed = [call, batch, pipe].map((tool) => tool.listed)
    return {
      metaTools: all,
      listsCatalog: true,
      list: async (view) => [...view.visible.tools.map(listInFull), ...listed],
      guide: [
        own,
        `${call.listed.name} runs any command by name; ${batch.listed.name} runs several; ${pipe.listed.name} feeds one's output to the next.`,
      ].join('\n'),
    }
  },
})
