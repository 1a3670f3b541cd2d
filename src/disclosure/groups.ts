// Groups tools, and names the actions of each group.

import { legalName, uniqueNames } from '../catalog/naming.ts'
import type { Snapshot } from '../catalog/snapshot.ts'
import { groupBy as groupToolsBy } from '../core/collections.ts'
import { defined } from '../core/defined.ts'
import { messageOf, showValue } from '../core/text.ts'
import type { JsonSchema, Tool, ToolTraits } from '../core/tool.ts'

/** The fields of a command that a grouping function gets. */
interface GroupedCommand extends ToolTraits {
  /** The name of the command. */
  readonly name: string
  /** A name for people. */
  readonly title?: string
  /** The purpose of the command. */
  readonly description: string
  /** The declared category, or the derived one. */
  readonly category: string
  /** Absent if the command has no tags. */
  readonly tags?: readonly string[]
  /** The JSON Schema of the input. */
  readonly inputSchema: JsonSchema
}

/** Returns the group of a command, or undefined for the group of its category. */
export type GroupBy = (command: GroupedCommand) => string | undefined

export interface Group {
  /** The name in the listing: the title as a legal and unique tool name. */
  readonly name: string
  /** The group that `groupBy` returned, or the category, as its author wrote it. */
  readonly title: string
  readonly actions: ReadonlyMap<string, Tool>
}

/**
 * The groups, in the order of their first tools. Built-ins are in no group and keep their names. No group gets a name
 * that is in `reserved`.
 */
export function groupTools(snapshot: Snapshot, groupBy: GroupBy, reserved: readonly string[] = []): readonly Group[] {
  const grouped = snapshot.tools.filter((tool) => tool.builtin !== true)
  const byTitle = groupToolsBy(grouped, (tool) => groupBy(toCommand(tool)) || tool.category)
  const builtins = snapshot.tools.filter((tool) => tool.builtin === true).map((tool) => tool.listedName)
  const names = uniqueNames(new Map([...byTitle.keys()].map((title) => [title, title])), [...reserved, ...builtins])
  return [...byTitle].map(([title, tools]) => ({
    name: names.get(title) ?? legalName(title),
    title,
    actions: nameActions(title, tools),
  }))
}

function toCommand({ name, title, description, category, tags, inputSchema, traits }: Tool): GroupedCommand {
  return { ...traits, ...defined({ name, title, description, category, tags, inputSchema }) }
}

/**
 * Guards a function of the user: if it throws, or returns a value that is not a name, the command is grouped by its
 * category. Calls `onFault` once for each command that has such a fault.
 */
export function guardGroupBy(groupBy: GroupBy, onFault: (error: Error, command: string) => void = () => {}): GroupBy {
  const reported = new Set<string>()
  return (command) => {
    try {
      const title: unknown = groupBy(command)
      if (title === undefined || (typeof title === 'string' && title !== '')) return title
      throw new Error(`The groupBy function returned ${showValue(title)} instead of the name of a group.`)
    } catch (error) {
      const { name } = command
      if (!reported.has(name)) onFault(error instanceof Error ? error : new Error(messageOf(error)), name)
      reported.add(name)
      return undefined
    }
  }
}

/**
 * `todo-create` is `create` in the group todo, and `files__read` is `read` in the group of its server. The complete
 * name is used if the short one is taken, or if the name does not start with the group and a `-` or `_`.
 */
function nameActions(title: string, tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const short = ({ listedName, sourceId, name }: Tool) => {
    if (title === sourceId && listedName !== name) return name
    const rest = listedName.slice(title.length)
    return listedName.startsWith(title) && /^[-_]./.test(rest) ? rest.slice(1) : listedName
  }
  const claims = new Map<string, number>()
  for (const name of tools.flatMap((tool) => [...new Set([short(tool), tool.listedName])])) {
    claims.set(name, (claims.get(name) ?? 0) + 1)
  }
  return new Map(tools.map((tool) => [claims.get(short(tool)) === 1 ? short(tool) : tool.listedName, tool]))
}
