// gateway: five tools in front of any number of servers.

import { z } from 'zod'
import { parameterHints } from '../../parameter-hints.ts'
import { defineStrategy, type Hints, type MetaTool } from '../../strategy.ts'
import type { TaskTool } from '../../strategy-task.ts'
import type { SourceView } from '../../view.ts'
import { executeTool } from './execute-tool.ts'
import { listServers } from './list-servers.ts'
import { listTools } from './list-tools.ts'
import { searchTools } from './search-tools.ts'
import { toolDetails } from './tool-details.ts'

const hints: Hints = {
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
      hints,
      task: {
        find: (client, { words }) => client.ask('search_tools', { query: words }),
        inspect: (client, tool) => client.ask('get_tool_details', namesOf(tool)),
        call: (client, tool, args) => client.call('execute_tool', { ...namesOf(tool), arguments: args }),
      },
      readsOn: () => executeTool.listed.name,
      async list(view) {
        const names = namesIn(view.sources)
        return metaTools.map(({ listed }) =>
          listed === searchTools.listed && names !== ''
            ? { ...listed, description: `${listed.description} Servers: ${names}` }
            : listed,
        )
      },
      guide: [
        '1. search_tools finds tools by what they do; its best hits carry a signature.',
        '2. get_tool_details gives the parameters if the signature is not enough.',
        '3. execute_tool runs one. list_mcp_servers and list_tools browse.',
      ].join('\n'),
    }
  },
})

function namesOf({ id, server, tool }: TaskTool) {
  return server === undefined ? { tool: id } : { server, tool }
}

/** A text never has more tokens than bytes, so this bounds the tokens for any names. */
const MAX_BYTES = 240
/** Callers with different rights have different servers. */
const MAX_TEXTS = 256

/**
 * The servers with the most tools first, then by name, then `+N more`. The text stays the same while the servers do.
 */
function createServerNames(): (sources: readonly SourceView[]) => string {
  const known = new Map<string, string>()
  return (sources) => {
    const key = JSON.stringify(sources.map(({ id }) => id).toSorted())
    // Cached: the text must not change when a server lists more tools, because clients cache it.
    const text = known.get(key) ?? listNames(sources)
    known.delete(key)
    known.set(key, text)
    const [oldest] = known.size > MAX_TEXTS ? known.keys() : []
    if (oldest !== undefined) known.delete(oldest)
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
