// The strategy `gateway`: lists five tools that search and call the tools of any number of servers.

import { z } from 'zod'
import { parameterHints } from '../../parameter-hints.ts'
import { defineStrategy, type Hints, type MetaTool } from '../../strategy.ts'
import type { TaskTool } from '../../strategy-task.ts'
import { executeTool } from './execute-tool.ts'
import { listServers } from './list-servers.ts'
import { listTools } from './list-tools.ts'
import { searchTools } from './search-tools.ts'
import { createServerNames } from './server-names.ts'
import { toolDetails } from './tool-details.ts'

export const gatewayHints: Hints = {
  ...parameterHints(
    searchTools.listed.name,
    (name) => `Call get_tool_details with tool '${name}' and schema: true`,
    // Clients of the gateway name a tool by server and name. Flat names are never shown to them.
    ({ id }) => id,
  ),
  servers: listServers.listed.name,
}

export const gateway = defineStrategy({
  name: 'gateway',
  options: z.strictObject({}),
  create() {
    const metaTools: readonly MetaTool[] = [listServers, searchTools, listTools, toolDetails, executeTool]
    const namesIn = createServerNames()
    return {
      metaTools,
      hints: gatewayHints,
      task: {
        find: (client, { words }) => client.ask('search_tools', { query: words }),
        inspect: (client, tool) => client.ask('get_tool_details', namesOf(tool)),
        call: (client, tool, args) => client.call('execute_tool', { ...namesOf(tool), arguments: args }),
      },
      readsOn: () => executeTool.listed.name,
      async list(view) {
        const names = namesIn(view)
        return metaTools.map(({ listed }) =>
          listed === searchTools.listed && names !== ''
            ? { ...listed, description: `${listed.description} Servers: ${names}` }
            : listed,
        )
      },
      guide: [
        '1. search_tools finds tools by what they do; its best hits carry a signature.',
        '2. get_tool_details gives the parameters if the signature is not enough.',
        '3. execute_tool runs a tool. list_mcp_servers and list_tools browse.',
      ].join('\n'),
    }
  },
})

function namesOf({ id, server, tool }: TaskTool) {
  return server === undefined ? { tool: id } : { server, tool }
}
