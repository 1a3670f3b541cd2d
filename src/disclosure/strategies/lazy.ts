// The strategy `lazy`: lists five tools for any catalog and, with the option `core`, the core tools with their schemas.

import { z } from 'zod'
import { listInFull } from '../listed.ts'
import { defineStrategy } from '../strategy.ts'
import { createAfdTools } from './afd/afd-tools.ts'
import { coreBudgetOption, coreFlags, coreOption, createCoreSet } from './listing/core-set.ts'

export const lazy = defineStrategy({
  name: 'lazy',
  options: z.strictObject({
    /** Without it, only the five tools are listed. */
    core: coreOption.optional(),
    coreBudget: coreBudgetOption,
  }),
  flags: coreFlags,
  create({ core, coreBudget }, environment) {
    const tools = createAfdTools(environment)
    const listed = tools.all.map((tool) => tool.listed)
    const { prefix } = environment
    const coreOf = core === undefined ? undefined : createCoreSet({ core, coreBudget }, environment.usage)
    return {
      metaTools: tools.all,
      // The core depends on the content of the catalog.
      listsCatalog: coreOf !== undefined,
      list: async (view) => (coreOf === undefined ? listed : [...listed, ...(await coreOf(view)).map(listInFull)]),
      task: {
        find: (client, { words }) => client.ask(`${prefix}-discover`, { search: words }),
        inspect: (client, { id }) => client.ask(`${prefix}-detail`, { command: id }),
        call: (client, { id }, input) => client.call(`${prefix}-call`, { command: id, input }),
      },
      readsOn: () => tools.call.listed.name,
      guide: [
        `1. ${prefix}-discover lists commands; filter with category, tag or search.`,
        `2. ${prefix}-detail gives the input schema of the ones you need, up to ten at once.`,
        `3. ${prefix}-call runs one; ${prefix}-batch runs several; ${prefix}-pipe passes output from one to the next.`,
        ...(coreOf === undefined ? [] : ['A command that is listed itself can be called by its name at once.']),
      ].join('\n'),
    }
  },
})
