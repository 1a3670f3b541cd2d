// lazy: five tools, whatever the size of the catalog.

import { z } from 'zod'
import { createAfdTools } from './afd/afd-tools.ts'
import { defineStrategy } from './strategy.ts'

export const lazy = defineStrategy({
  name: 'lazy',
  options: z.strictObject({}),
  create(_options, environment) {
    const tools = createAfdTools(environment)
    const listed = tools.all.map((tool) => tool.listed)
    const { prefix } = environment
    return {
      metaTools: tools.all,
      list: async () => listed,
      readsOn: () => tools.call.listed.name,
      guide: [
        `1. ${prefix}-discover lists commands; filter with category, tag or search.`,
        `2. ${prefix}-detail gives the input schema of the ones you need, up to ten at once.`,
        `3. ${prefix}-call runs one; ${prefix}-batch runs several; ${prefix}-pipe feeds one's output to the next.`,
      ].join('\n'),
    }
  },
})
