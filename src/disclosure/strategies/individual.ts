// The strategy `individual`: lists every tool under its own name with its full schema. Options add meta-tools.

import { z } from 'zod'
import { listInFull } from '../listed.ts'
import { callToolHints, defineStrategy, parameterHints } from '../strategy.ts'
import { readsListing } from '../strategy-task.ts'
import { createBrowseTools } from './categories/browse-tools.ts'
import { builtinsFlag, createBuiltins } from './listing/listing.ts'

export const individual = defineStrategy({
  name: 'individual',
  options: z.strictObject({
    /** Also lists afd-call, afd-batch and afd-pipe. Default: `builtins` of the strategy environment, else true. */
    builtins: z.boolean().optional(),
    /** Also lists the tools that browse by category: they help with a long list. */
    metaTools: z.boolean().default(false),
  }),
  flags: {
    metaTools: { kind: 'switch', about: 'also list the tools that browse by category' },
    builtins: builtinsFlag,
  },
  create({ builtins: wanted, metaTools }, environment) {
    const browsing = metaTools ? createBrowseTools(environment) : []
    const hasBuiltins = wanted ?? environment.builtins ?? true
    const builtins = createBuiltins(hasBuiltins, environment)
    return {
      metaTools: [...browsing, ...builtins.metaTools],
      isSelfEvident: true,
      hints: hasBuiltins ? callToolHints(environment.prefix) : parameterHints('tools/list'),
      listsCatalog: true,
      task: readsListing,
      readsOn: () => builtins.runner,
      list: async (view) => [
        ...browsing.map(({ listed }) => listed),
        ...view.visible.tools.map(listInFull),
        ...builtins.listed,
      ],
      guide: [
        'Every command is a tool of its own: call it by its name.',
        ...(browsing.length > 0 ? ['list_tool_categories and get_category_tools list the tools by category.'] : []),
        ...builtins.guide,
      ].join('\n'),
    }
  },
})
