// defineConfig: a config in TypeScript or JavaScript, checked by the editor.

import type { ConfigFileInput } from '../config/config.ts'
import type { StrategyName, StrategySelection } from '../disclosure/strategies/strategy-selection.ts'

/**
 * The content of a config file. If it names no strategy, `strategyOptions` apply to the strategy that a flag or a
 * variable chooses.
 */
export type ConfigInput = Omit<ConfigFileInput, 'discovery'> & {
  readonly discovery?: Discovery & StrategySelection<'strategy', StrategyName>
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
export function defineConfig(config: ConfigInput): ConfigInput {
  return config
}
