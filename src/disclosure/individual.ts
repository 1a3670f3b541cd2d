// individual: every tool under its own name with its full schema, and the built-ins beside them.

import { z } from 'zod'
import { createAfdTools } from './afd/afd-tools.ts'
import { listInFull } from './listed.ts'
import { defineStrategy } from './strategy.ts'

export const individual = defineStrategy({
  name: 'individual',
  options: z.strictObject({}),
  create(_options, environment) {
    const { all, call, batch, pipe } = createAfdTools(environment)
    const builtins = [call, batch, pipe].map((tool) => tool.listed)
    return {
      metaTools: all,
      list: async (view) => [...view.visible.tools.map(listInFull), ...builtins],
      guide: [
        'Every command is a tool of its own: call it by its name.',
        `${call.listed.name} runs any command by name; ${batch.listed.name} runs several; ${pipe.listed.name} feeds one's output to the next.`,
      ].join('\n'),
    }
  },
})
