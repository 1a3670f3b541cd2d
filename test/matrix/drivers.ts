// How an agent finds, inspects and calls a tool under each strategy, for any source.

import type { CallToolResult } from '@modelcontextprotocol/client'
import type { GatewayClient } from '../e2e/gateway/client.ts'

/** The names of a tool under the different strategies. */
export interface ToolNames {
  /** The name in flat listings. */
  readonly name: string
  /** The name for meta-tools: `server:tool`, or the tool's name if there is only one source. */
  readonly id: string
  /** The group and the action under `grouped`. */
  readonly group: string
  readonly action: string
}

export interface MatrixTarget extends ToolNames {
  /** A search query that should find the tool. */
  readonly words: string
  readonly category: string
}

export interface Driver {
  /** The complete list of tools, if it does not depend on the source. */
  readonly lists?: readonly string[]
  /** Whether the tool itself is listed under its name. */
  readonly listsTools: boolean
  /** Returns a text that must contain the tool, and must not contain a hidden one. */
  find(client: GatewayClient, target: MatrixTarget): Promise<string>
  /** Returns a text that contains the tool's parameters. */
  inspect(client: GatewayClient, target: MatrixTarget): Promise<string>
  call(client: GatewayClient, tool: ToolNames, args: Readonly<Record<string, unknown>>): Promise<CallToolResult>
}

type Args = Readonly<Record<string, unknown>>

const run = (client: GatewayClient, name: string, args: Args = {}): Promise<CallToolResult> =>
  client.client.callTool({ name, arguments: { ...args } })

/** Returns the text of an answer, and throws if it is an error. */
async function ask(client: GatewayClient, name: string, args: Args = {}): Promise<string> {
  const result = await run(client, name, args)
  const text = result.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
  if (result.isError === true) throw new Error(`${name}: ${text}`)
  return text
}

async function listed(client: GatewayClient, name: string): Promise<string> {
  return JSON.stringify((await client.list()).find((tool) => tool.name === name) ?? {})
}

const byName: Driver['call'] = (client, { name }, args) => run(client, name, args)

const individual: Driver = {
  listsTools: true,
  find: async (client) => JSON.stringify((await client.list()).map(({ name }) => name)),
  inspect: (client, { name }) => listed(client, name),
  call: byName,
}

const grouped: Driver = {
  listsTools: false,
  find: (client, { group }) => listed(client, group),
  inspect: (client, { group }) => listed(client, group),
  call: (client, { group, action }, params) => run(client, group, { action, params }),
}

const lazy: Driver = {
  lists: ['afd-discover', 'afd-detail', 'afd-call', 'afd-batch', 'afd-pipe'],
  listsTools: false,
  find: (client, { words }) => ask(client, 'afd-discover', { search: words }),
  inspect: (client, { id }) => ask(client, 'afd-detail', { command: id }),
  call: (client, { id }, input) => run(client, 'afd-call', { command: id, input }),
}

const gateway: Driver = {
  lists: ['list_mcp_servers', 'search_tools', 'list_tools', 'get_tool_details', 'execute_tool'],
  listsTools: false,
  find: (client, { words }) => ask(client, 'search_tools', { query: words }),
  inspect: (client, { id }) => ask(client, 'get_tool_details', { tool: id }),
  call: (client, { id }, args) => run(client, 'execute_tool', { tool: id, arguments: args }),
}

const manage: Driver = {
  listsTools: false,
  find: (client, { words }) => ask(client, 'manage_tools', { action: 'list', search: words }),
  async inspect(client, { name }) {
    await ask(client, 'manage_tools', { action: 'enable', tools: name })
    return listed(client, name)
  },
  async call(client, { name }, args) {
    await run(client, 'manage_tools', { action: 'enable', tools: name })
    return run(client, name, args)
  },
}

type Listing = 'stripped' | 'hidden' | 'hybrid'

/** A listed tool is called by its name, a hidden one with `invoke_tool`. */
const callUnder = (listing: Listing): Driver['call'] =>
  listing === 'stripped' ? byName : (client, { id }, args) => run(client, 'invoke_tool', { tool: id, arguments: args })

const underListing = (listing: Listing, own: readonly string[], ways: Pick<Driver, 'find' | 'inspect'>): Driver => ({
  ...(listing === 'hidden' ? { lists: [...own, 'invoke_tool'] } : {}),
  listsTools: listing !== 'hidden',
  call: callUnder(listing),
  ...ways,
})

const categories = (listing: Listing): Driver =>
  underListing(listing, ['list_tool_categories', 'get_category_tools', 'get_tool_schema'], {
    async find(client, { category }) {
      const all = await ask(client, 'list_tool_categories')
      if (!all.includes(`"${category}"`)) throw new Error(`No category '${category}' in ${all}`)
      return ask(client, 'get_category_tools', { category })
    },
    inspect: (client, { id }) => ask(client, 'get_tool_schema', { toolName: id }),
  })

const capabilities = (listing: Listing): Driver =>
  underListing(listing, ['crib_capabilities', 'crib_tool_schema'], {
    find: (client, { category }) => ask(client, 'crib_capabilities', { category }),
    inspect: (client, { id }) => ask(client, 'crib_tool_schema', { tool: id }),
  })

/** Uses the driver of the strategy that `auto` has chosen. */
const auto: Driver = {
  listsTools: false,
  find: async (client, target) => (await chosen(client)).find(client, target),
  inspect: async (client, target) => (await chosen(client)).inspect(client, target),
  call: async (client, tool, args) => (await chosen(client)).call(client, tool, args),
}

async function chosen(client: GatewayClient): Promise<Driver> {
  return (await client.list()).some(({ name }) => name === 'execute_tool') ? gateway : individual
}

export interface MatrixRow {
  readonly title: string
  readonly strategy: string
  readonly options: Readonly<Record<string, unknown>>
  readonly driver: Driver
}

const LISTINGS: readonly Listing[] = ['stripped', 'hidden', 'hybrid']

/** One row per strategy and listing. `core` contains the names or patterns of a hybrid core. */
export function rows(core: readonly string[]): readonly MatrixRow[] {
  const listings = (strategy: string, driver: (listing: Listing) => Driver, options: MatrixRow['options']) =>
    LISTINGS.map((listing) => ({
      title: `${strategy}, ${listing}`,
      strategy,
      options: {
        ...options,
        listing,
        ...(listing === 'stripped' ? {} : { invoke: true }),
        ...(listing === 'hybrid' ? { core } : {}),
      },
      driver: driver(listing),
    }))
  const plain = Object.entries({ individual, grouped, lazy, gateway, manage, auto })
  return [
    ...plain.map(([strategy, driver]) => ({ title: strategy, strategy, options: {}, driver })),
    ...listings('categories', categories, {}),
    ...listings('capabilities', capabilities, { prefix: 'crib' }),
  ]
}
