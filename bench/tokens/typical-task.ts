// One task under each strategy: search for a tool by what it does, read its parameters, call it.

import { exampleArguments } from '../../src/core/parameters/example-arguments.ts'
import { firstSentence } from '../../src/core/text.ts'
import type { CountTokens } from '../../src/core/tokens.ts'
import type { Tool } from '../../src/core/tool.ts'
import type { Crib } from '../../src/crib/crib.ts'
import { groupTools } from '../../src/disclosure/groups.ts'
import { listInFull } from '../../src/disclosure/listed.ts'
import type { View } from '../../src/disclosure/view.ts'
import { request } from '../open-stored.ts'

export interface Task {
  readonly crib: Crib
  readonly view: View
  readonly tool: Tool
  readonly input: Readonly<Record<string, unknown>>
  /** The search query: the first sentence of the tool's description. */
  readonly query: string
  readonly count: CountTokens
  /** Runs one step and returns the tokens that the model writes and reads. Throws if the step fails. */
  ask(name: string, args: object): Promise<number>
}

type Steps = (task: Task) => Promise<number>

const sum = (...steps: readonly number[]) => steps.reduce((total, tokens) => total + tokens, 0)

const bySchema: Steps = async ({ tool, input, ask }) =>
  sum(await ask('get_tool_schema', { toolName: tool.listedName }), await ask(tool.listedName, input))

const byInventory: Steps = async ({ tool, input, ask }) =>
  sum(await ask('bench_tool_schema', { tool: tool.listedName }), await ask(tool.listedName, input))

/** The tool is in the list, so the model calls it directly. */
const byName: Steps = ({ tool, input, ask }) => ask(tool.listedName, input)

const bySearch: Steps = async ({ tool, input, query, ask }) => {
  const named = { server: tool.sourceId, tool: tool.name }
  return sum(
    await ask('search_tools', { query }),
    await ask('get_tool_details', named),
    await ask('execute_tool', { ...named, arguments: input }),
  )
}

/** The steps of each strategy, by the names of `listingFigures`. */
export const STEPS: Readonly<Record<string, Steps>> = {
  individual: byName,
  async grouped({ view, tool, input, ask }) {
    for (const { name, actions } of groupTools(view.known, ({ category }) => category)) {
      const [action] = [...actions].find(([, one]) => one.id === tool.id) ?? []
      if (action !== undefined) return ask(name, { action, params: input })
    }
    throw new Error(`No group contains ${tool.id}`)
  },
  async lazy({ tool, input, ask }) {
    const search = tool.name.split(/[^A-Za-z0-9]+/).join(' ')
    return sum(
      await ask('afd-discover', { search }),
      await ask('afd-detail', { command: tool.listedName }),
      await ask('afd-call', { command: tool.listedName, input }),
    )
  },
  gateway: bySearch,
  async manage({ tool, input, query, count, ask }) {
    return sum(
      await ask('manage_tools', { action: 'list', search: query }),
      await ask('manage_tools', { action: 'enable', tools: tool.listedName }),
      // The tokens that the enabled tool adds to the list.
      count(JSON.stringify(listInFull(tool))),
      await ask(tool.listedName, input),
    )
  },
  'categories stripped': bySchema,
  async 'categories hidden invoke'({ tool, input, ask }) {
    return sum(
      await ask('list_tool_categories', {}),
      await ask('get_category_tools', { category: tool.category }),
      await ask('get_tool_schema', { toolName: tool.listedName }),
      await ask('invoke_tool', { tool: tool.listedName, arguments: input }),
    )
  },
  // The task uses a tool of the core. With any other tool it costs as much as under `hidden`.
  'categories hybrid invoke': byName,
  'capabilities hybrid invoke': byName,
  auto: (task) => (task.crib.explain()?.strategy === 'individual' ? byName(task) : bySearch(task)),
  'capabilities stripped': byInventory,
  async 'capabilities hidden invoke'({ tool, input, ask, crib }) {
    const whole = await ask('bench_capabilities', {})
    const shown = JSON.stringify((await crib.call('bench_capabilities', {}, request)).data)
    // If the category was reduced to its count, the model requests the category.
    const { category } = tool
    const opened = shown.includes(JSON.stringify(tool.listedName)) ? 0 : await ask('bench_capabilities', { category })
    return sum(
      whole,
      opened,
      await ask('bench_tool_schema', { tool: tool.listedName }),
      await ask('invoke_tool', { tool: tool.listedName, arguments: input }),
    )
  },
}

export function createTask(crib: Crib, view: View, id: string, count: CountTokens): Task {
  const tool = view.visible.get(id)
  if (tool === undefined) throw new Error(`No tool ${id}`)
  return {
    crib,
    view,
    tool,
    input: exampleArguments(tool.inputSchema),
    query: firstSentence(tool.description) || tool.name,
    count,
    async ask(name, args) {
      const { success, error, wire, data } = await crib.call(name, args, request)
      if (!success) throw new Error(`${crib.strategy}: ${name} ${JSON.stringify(args)}: ${error?.message}`)
      const text =
        wire?.content.map((block) => (block.type === 'text' ? block.text : '')).join('') ?? JSON.stringify(data)
      return count(JSON.stringify({ name, arguments: args })) + count(text)
    },
  }
}

/** The tool of median cost, or the next larger one that can be called with generated arguments. */
export async function typicalTool({ visible }: View): Promise<Tool> {
  const described = visible.tools.filter(({ description }) => description.length > 20)
  const byCost = described.toSorted((a, b) => sizeOf(a) - sizeOf(b) || (a.id < b.id ? -1 : 1))
  for (const tool of byCost.slice(Math.floor(byCost.length / 2))) {
    const checked = await tool.validate(exampleArguments(tool.inputSchema))
    if (checked.ok) return tool
  }
  throw new Error('No tool can be called with generated arguments')
}

function sizeOf(tool: Tool): number {
  return JSON.stringify(tool.inputSchema).length + tool.description.length
}
