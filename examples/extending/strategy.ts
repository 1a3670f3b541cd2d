// A strategy: two tools, one that finds tools and one that runs them.

import { defineMetaTool, defineStrategy, success } from 'toolcrib'
import { z } from 'zod'

export const findAndRun = defineStrategy({
  name: 'find-and-run',
  options: z.strictObject({ limit: z.int().min(1).default(5) }),
  create({ limit }) {
    const find = defineMetaTool({
      name: 'find_tools',
      description: 'Find tools by what they do.',
      input: z.strictObject({ query: z.string().min(1) }),
      readOnly: true,
      takesContext: false,
      findsTools: true,
      // A search waits for servers that have not listed their tools yet.
      needs: () => 'all',
      async call({ query }, view) {
        // The view contains only tools that this caller may see.
        const hits = await view.search(query, { limit })
        const tools = hits.flatMap(({ id }) => view.visible.get(id) ?? [])
        return success(
          tools.map(({ listedName, description, inputSchema }) => ({ tool: listedName, description, inputSchema })),
        )
      },
    })
    const run = defineMetaTool({
      name: 'run_tool',
      description: 'Run a tool that find_tools returned.',
      input: z.strictObject({ tool: z.string().min(1), arguments: z.record(z.string(), z.unknown()).default({}) }),
      readOnly: false,
      takesContext: false,
      // `invoke` applies the rules, the validation, the middleware and the audit log.
      call: async ({ tool, arguments: args }, view) => view.deliver(await view.invoke(tool, args)),
    })
    return {
      metaTools: [find, run],
      list: async () => [find.listed, run.listed],
      guide: 'find_tools finds tools with their schemas; run_tool runs one of them.',
      // The steps of an agent, for tests and measurements.
      task: {
        find: (client, { words }) => client.ask('find_tools', { query: words }),
        inspect: (client, { words }) => client.ask('find_tools', { query: words }),
        call: (client, { id }, args) => client.call('run_tool', { tool: id, arguments: args }),
      },
    }
  },
})
