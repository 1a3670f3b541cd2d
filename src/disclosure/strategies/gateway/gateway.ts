// The strategy `gateway`: lists five tools that search and call the tools of any number of servers.

import { z } from 'zod'
import { setNewest } from '../../../core/collections.ts'
import { rightsKey } from '../../../core/rights.ts'
import { defineStrategy, type Hints, type MetaTool, parameterHints } from '../../strategy.ts'
import type { TaskTool } from '../../strategy-task.ts'
import type { SourceView, View } from '../../view.ts'
import { executeTool } from './execute-tool.ts'
import { listServers, listTools, searchTools, toolDetails } from './gateway-tools.ts'

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
    const serverNames = createServerNames()
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
        const names = serverNames(view)
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

/** A text never has more tokens than bytes, so this bounds the tokens for any names. */
const MAX_BYTES = 240
/** The maximum number of cached texts: one for each combination of rights and servers. */
const MAX_TEXTS = 256

/**
 * Returns a function that lists the names of the servers for the description of search_tools, so that a model knows
 * what it can search: the servers with the most tools first, then by name, then `+N more`.
 */
export function createServerNames(): (view: Pick<View, 'caller' | 'sources'>) => string {
  const known = new Map<string, string>()
  return ({ caller, sources }) => {
    // The key has the rights, because the order for one caller must not depend on tools that exist only for another.
    const key = JSON.stringify([rightsKey(caller.rights), ...sources.map(({ id }) => id).toSorted()])
    // The text must not change when a server lists more tools, because clients cache it.
    const text = known.get(key) ?? listNames(sources)
    setNewest(known, key, text, MAX_TEXTS)
    return text
  }
}

function listNames(sources: readonly SourceView[]): string {
  const sorted = sources.toSorted((a, b) => (b.toolCount ?? 0) - (a.toolCount ?? 0) || (a.id < b.id ? -1 : 1))
  const shown: string[] = []
  let bytes = 0
  for (const { id } of sorted) {
    bytes += Buffer.byteLength(id) + 2
    if (bytes > MAX_BYTES) break
    shown.push(id)
  }
  const hidden = sorted.length - shown.length
  return [...shown, ...(hidden === 0 ? [] : [`+${hidden} more`])].join(', ')
}
