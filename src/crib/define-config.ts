// defineConfig: a config in TypeScript or JavaScript, checked by the editor.

import type { ConfigFileInput } from '../config/config.ts'
import type { NamedPlugin } from '../config/plugins.ts'
import type { StrategyName, StrategySelection } from '../disclosure/strategies/strategy-selection.ts'
import type { StrategyPlugin } from '../disclosure/strategy.ts'

/**
 * The content of a config file. If it names no strategy, `strategyOptions` apply to the strategy that a flag or a
 * variable chooses. `Own` are the names of the strategies in `plugins`.
 */
export type ConfigInput<Own extends string = never> = Omit<ConfigFileInput, 'discovery' | 'plugins'> & {
  readonly plugins?: Omit<Plugins, 'strategies'> & {
    readonly strategies?: readonly ({ readonly name: Own } | NamedPlugin)[]
  }
  readonly discovery?: Discovery & (BuiltinSelection | OwnSelection<NoInfer<Own>>)
}

type Plugins = NonNullable<ConfigFileInput['plugins']>

/** A config names a strategy. Only `createMcpServer` and `wrapServer` take the plugin itself. */
type BuiltinSelection = Exclude<StrategySelection<'strategy', StrategyName>, { readonly strategy: StrategyPlugin }>

interface OwnSelection<Own extends string> {
  readonly strategy: Own
  readonly strategyOptions?: Readonly<Record<string, unknown>>
}

type Discovery = Omit<NonNullable<ConfigFileInput['discovery']>, 'strategy' | 'strategyOptions'>

/**
 * Returns its argument. Lets an editor check and complete a config in TypeScript or JavaScript.
 *
 * @example
 * ```ts
 * export default defineConfig({
 *   discovery: {
 *     servers: { files: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] } },
 *     toolRules: [{ pattern: ['*delete*'], enabled: false }],
 *   },
 * })
 * ```
 */
export function defineConfig<const Own extends string = never>(config: ConfigInput<Own>): ConfigInput<Own> {
  return config
}
