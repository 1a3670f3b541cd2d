// The strategy `individual`: lists every tool under its own name with its full schema. Options add meta-tools.

import { z } from 'zod'
import { listInFull } from '../listed.ts'
import { parameterHints } from '../parameter-hints.ts'
import { defineStrategy } from '../strategy.ts'
import { readsListing } from '../strategy-task.ts'
import { createAfdTools } from './afd/afd-tools.ts'
import { createBrowseTools } from './categories/browse-tools.ts'
import { builtinsFlag } from './listing/listing.ts'

export const individual = defineStrategy({
  name: 'individual',
  options: z.strictObject({
    /** Also lists afd-call, afd-batch and afd-pipe. Default: as the environment says, else true. */
    builtins: z.boolean().optional(),
    /** Also lists the tools that browse by category: they help with a long list. */
    metaTools: z.boolean().default(false),
  }),
  flags: {
    metaTools: { kind: 'switch', about: 'also list the meta-tools' },
    builtins: builtinsFlag,
  },
  create({ builtins, metaTools }, environment) {
    const browsing = metaTools ? createBrowseTools(environment) : []
    const hasBuiltins = builtins ?? environment.builtins ?? true
    const { all, call, batch, pipe } = createAfdTools(environment)
    const names = [call, batch, pipe].map(({ listed }) => listed.name)
    const builtinTools = hasBuiltins ? [call, batch, pipe].map(({ listed }) => listed) : []
    return {
      metaTools: [...browsing, ...(hasBuiltins ? all : [])],
      isSelfEvident: true,
      ...(hasBuiltins ? {} : { hints: parameterHints('tools/list') }),
      listsCatalog: true,
      task: readsListing,
      readsOn: () => (hasBuiltins ? call.listed.name : undefined),
      list: async (view) => [
        ...browsing.map(({ listed }) => listed),
        ...view.visible.tools.map(listInFull),
        ...builtinTools,
      ],
      guide: [
        'Every command is a tool of its own: call it by its name.',
        ...(browsing.length > 0 ? ['list_tool_categories and get_category_tools list the tools by category.'] : []),
        ...(hasBuiltins
          ? [
              `${names[0]} runs any command by name; ${names[1]} runs several; ${names[2]} feeds one's output to the next.`,
            ]
          : []),
      ].join('\n'),
    }
  },
})
