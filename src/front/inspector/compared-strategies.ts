// The strategies that the inspector compares: the current one with its options, and the others with their defaults.

import type { CommandResult } from '../../core/result.ts'
import type { ListedTool, Tool } from '../../core/tool.ts'
import { strategies } from '../../disclosure/strategies/builtins.ts'
import { createStrategy } from '../../disclosure/strategies/create-strategy.ts'
import type { Strategy } from '../../disclosure/strategy.ts'
import type { TaskTool } from '../../disclosure/strategy-task.ts'
import type { View } from '../../disclosure/view.ts'
import type { InspectorOptions } from './inspector-options.ts'

/** A strategy that can list tools and answer calls for a view. */
export interface ComparedStrategy {
  readonly name: string
  readonly isCurrent: boolean
  readonly strategy: Strategy
  list(view: View): Promise<readonly ListedTool[]>
  /** The text that the model gets from a meta-tool. Undefined if the strategy has no meta-tool of this name. */
  ask(view: View, name: string, args: unknown): Promise<string> | undefined
}

export interface ComparedStrategies {
  readonly names: readonly string[]
  /** The name of the strategy that the gateway uses. */
  readonly current: string
  /**
   * Undefined if the name is unknown. Creates a new object for each use, because some strategies choose their listing
   * once, for the tools that they see first.
   */
  create(name: string, signal: AbortSignal): ComparedStrategy | undefined
}

/** Returns the text of a result as a client gets it. */
export type TextOfResult = (name: string, result: CommandResult) => string

export function createComparedStrategies(
  { crib, strategy: current }: InspectorOptions['gateway'],
  textOf: TextOfResult,
): ComparedStrategies {
  const { name, version } = crib.about
  const environment = {
    hasContexts: false,
    builtins: false,
    keepsResults: true,
    server: { name, version },
    usage: current.usage,
  }
  const names = [...new Set([...strategies.keys(), current.plugin.name])]
  return {
    names,
    current: current.plugin.name,
    create(name, signal) {
      const isCurrent = name === current.plugin.name
      const plugin = isCurrent ? current.plugin : strategies.get(name)
      if (plugin === undefined) return undefined
      const options = isCurrent ? current.options : undefined
      const { strategy, metaTools } = createStrategy(plugin, options, environment)
      return {
        name,
        isCurrent,
        strategy,
        // The gateway's own instance may already have made choices, so the gateway lists and answers itself.
        list: (view) => (isCurrent ? crib.list({ caller: view.caller, signal }) : strategy.list(view)),
        ask(view, wanted, args) {
          const tool = metaTools.get(wanted)
          const answered = isCurrent ? view.callMetaTool(wanted, args) : tool?.call(args, view)
          return answered?.then((result) => textOf(wanted, result))
        },
      }
    },
  }
}

/**
 * Describes a tool for the task scripts of strategies. The group and the action are empty: only `grouped` needs them,
 * and for `grouped` the inspector shows the whole listing.
 */
export function taskToolOf(tool: Tool | undefined, words: string): TaskTool {
  const { listedName = '', id = '', sourceId = '', name = '', category = '' } = tool ?? {}
  return { name: listedName, id, server: sourceId, tool: name, group: '', action: '', category, words }
}
