// One task under each strategy: search for a tool by its description, read its parameters, call it.

import { exampleArguments } from '../../src/core/parameters/example-arguments.ts'
import { firstSentence } from '../../src/core/text.ts'
import type { CountTokens } from '../../src/core/tokens.ts'
import type { ListedTool, Tool } from '../../src/core/tool.ts'
import type { Crib } from '../../src/crib/crib.ts'
import { groupTools } from '../../src/disclosure/groups.ts'
import type { StrategyTask, TaskClient, TaskTool } from '../../src/disclosure/strategy-task.ts'
import type { View } from '../../src/disclosure/view.ts'
import { request } from '../open-stored.ts'

/** The tokens that the model writes and reads besides the first list of tools. Throws if a step fails. */
export async function countTask(crib: Crib, task: StrategyTask, id: string, count: CountTokens): Promise<number> {
  const view = await crib.inspect(request.signal)
  const tool = view.visible.get(id)
  if (tool === undefined) throw new Error(`No tool ${id}`)
  const input = exampleArguments(tool.inputSchema)
  const { client, tokens } = countingClient(crib, count)
  const names = namesOf(tool, view)
  const listed = (await crib.list(request)).find(({ name }) => name === tool.listedName)
  // A tool of the core is listed with its schema, so the model calls it directly.
  if (listed !== undefined && hasSchema(listed, tool)) {
    await client.call(tool.listedName, input)
    return tokens()
  }
  if (listed === undefined) await task.find(client, names)
  await task.prepare?.(client, names)
  const shown = await task.inspect(client, names)
  await task.call(client, names, input)
  // After `prepare` the list is longer than the list that was counted.
  return tokens() + (task.prepare === undefined ? 0 : count(shown))
}

function hasSchema({ inputSchema }: ListedTool, tool: Tool): boolean {
  return JSON.stringify(inputSchema) === JSON.stringify(tool.inputSchema)
}

function countingClient(crib: Crib, count: CountTokens): { client: TaskClient<string>; tokens(): number } {
  let total = 0
  const ask = async (name: string, args: Readonly<Record<string, unknown>>) => {
    const { success, error, wire, data } = await crib.call(name, args, request)
    if (!success) throw new Error(`${crib.strategy.name}: ${name} ${JSON.stringify(args)}: ${error?.message}`)
    const text =
      wire?.content.map((block) => (block.type === 'text' ? block.text : '')).join('') ?? JSON.stringify(data)
    total += count(JSON.stringify({ name, arguments: args })) + count(text)
    return text
  }
  return { client: { list: () => crib.list(request), ask, call: ask }, tokens: () => total }
}

function namesOf(tool: Tool, view: View): TaskTool {
  const [group, action] =
    groupTools(view.known, ({ category }) => category)
      .flatMap(({ name, actions }) => [...actions].map(([key, one]) => [name, key, one.id] as const))
      .find(([, , id]) => id === tool.id) ?? []
  return {
    name: tool.listedName,
    id: tool.listedName,
    server: tool.sourceId,
    tool: tool.name,
    group: group ?? '',
    action: action ?? '',
    category: tool.category ?? '',
    words: firstSentence(tool.description) || tool.name,
  }
}

/** The tool of median size, or the next larger tool that can be called with generated arguments. */
export async function typicalTool({ visible }: View): Promise<Tool> {
  const described = visible.tools.filter(({ description }) => description.length > 20)
  const bySize = described.toSorted((a, b) => sizeOf(a) - sizeOf(b) || (a.id < b.id ? -1 : 1))
  for (const tool of bySize.slice(Math.floor(bySize.length / 2))) {
    const checked = await tool.validate(exampleArguments(tool.inputSchema))
    if (checked.ok) return tool
  }
  throw new Error('No tool can be called with generated arguments')
}

function sizeOf(tool: Tool): number {
  return JSON.stringify(tool.inputSchema).length + tool.description.length
}
