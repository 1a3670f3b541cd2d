// The strategies that the inspector compares: the one in force with its options, and the others with their defaults.

import type { CommandResult } from '../../core/result.ts'
import type { ListedTool } from '../../core/tool.ts'
import type { StrategySetup } from '../../crib/from-config.ts'
import { strategies } from '../../disclosure/strategies/builtins.ts'
import { createStrategy } from '../../disclosure/strategies/create-strategy.ts'
import type { Strategy } from '../../disclosure/strategy.ts'
import type { View } from '../../disclosure/view.ts'
import type { InspectorOptions } from './inspector-options.ts'

/** A strategy over the view of one caller. */
export interface ComparedStrategy {
  readonly name: string
  readonly isCurrent: boolean
  readonly strategy: Strategy
  list(view: View): Promise<readonly ListedTool[]>
  /** The text that the model gets from a tool of the strategy. Undefined if it has no tool of this name. */
  ask(view: View, name: string, args: unknown): Promise<string> | undefined
}

export interface OwnStrategies {
  readonly names: readonly string[]
  /** The name of the strategy in force. */
  readonly current: string
  /**
   * Undefined if there is no strategy of this name. Created for each use, because some strategies choose their listing
   * once for the tools that they see first.
   */
  create(name: string, signal: AbortSignal): ComparedStrategy | undefined
}

/** Returns the text of a result as a client gets it. */
export type TextOfResult = (name: string, result: CommandResult) => string

export function ownStrategies(
  { crib, strategy: current }: InspectorOptions['gateway'],
  textOf: TextOfResult,
): OwnStrategies {
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
      const {
        plugin,
        options,
      }: Pick<StrategySetup, 'plugin' | 'options'> | { plugin?: undefined; options: undefined } =
        name === current.plugin.name ? current : { plugin: strategies.get(name), options: undefined }
      if (plugin === undefined) return undefined
      const { strategy, metaTools } = createStrategy(plugin, options, environment)
      const isCurrent = plugin === current.plugin
      return {
        name,
        isCurrent,
        strategy,
        // The strategy in force may have made choices, so its own listing and tools are used.
        list: (view) => (isCurrent ? crib.list({ caller: view.caller, signal }) : strategy.list(view)),
        ask(view, wanted, args) {
          const tool = metaTools.find(({ listed }) => listed.name === wanted)
          const answered = isCurrent ? view.callMetaTool(wanted, args) : tool?.call(args, view)
          return answered?.then((result) => textOf(wanted, result))
        },
      }
    },
  }
}
