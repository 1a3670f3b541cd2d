// defineConfig: a config in TypeScript or JavaScript, checked by the editor.

import type { ConfigFileInput, NamedPlugin, SourceInput } from '../config/config.ts'
import type { ImporterName } from '../config/imports/builtins.ts'
import type { OptionsIn, StrategyName, StrategySelection } from '../disclosure/strategies/builtins.ts'
import type { StrategyPlugin } from '../disclosure/strategy.ts'
import type { RankerName } from '../search/rankers/builtins.ts'

/**
 * The content of a config file. If it names no strategy, `strategyOptions` apply to the strategy of a flag or a
 * variable, else to `gateway`. `Strategy`, `Ranker` and `Importer` are the types of the entries of `plugins`.
 */
export type ConfigInput<
  Strategy extends NamedPlugin = never,
  Ranker extends NamedPlugin = never,
  Importer extends NamedPlugin = never,
> = Omit<ConfigFileInput, 'discovery' | 'plugins'> & {
  /**
   * Your own strategies, rankers, sources, stores and importers. All sources are used; settings choose the others by
   * their names.
   */
  readonly plugins?: Omit<Plugins, 'strategies' | 'rankers' | 'importers'> & {
    /** Results of `defineStrategy`, for `discovery.strategy`. */
    readonly strategies?: readonly (Strategy | NamedPlugin)[]
    /** Results of `defineRanker`, for `discovery.search.ranker`. */
    readonly rankers?: readonly (Ranker | NamedPlugin)[]
    /** Results of `defineImporter`, for `discovery.sources`. */
    readonly importers?: readonly (Importer | NamedPlugin)[]
  }
  /** Which servers and tools clients get, and how they find them. */
  readonly discovery?: Omit<Discovery, 'strategy' | 'strategyOptions' | 'search' | 'sources'> & {
    /** How tools are ranked in searches. */
    readonly search?: Omit<Search, 'ranker'> & {
      /** A built-in ranker or one of `plugins.rankers`. Default: `bm25f`. */
      readonly ranker?: RankerName | NoInfer<Ranker>['name']
    }
    /** The clients to import servers from: their config files are read. */
    readonly sources?: readonly (Omit<SourceInput, 'type'> & {
      /** A built-in importer or one of `plugins.importers`. */
      readonly type: ImporterName | NoInfer<Importer>['name']
    })[]
  } & (BuiltinSelection | OwnSelection<NoInfer<Strategy>>)
}

type Plugins = NonNullable<ConfigFileInput['plugins']>
type Discovery = NonNullable<ConfigFileInput['discovery']>
type Search = NonNullable<Discovery['search']>

/** A config names a strategy. `createMcpServer`, `wrapServer` and `lazyTools` take the plugin itself. */
type BuiltinSelection = Exclude<StrategySelection<'strategy', StrategyName>, { readonly strategy: StrategyPlugin }>

/** The name of a strategy of `plugins.strategies`, with its options. */
type OwnSelection<Strategy extends NamedPlugin> =
  Strategy extends StrategyPlugin<infer Name, infer Options>
    ? { readonly strategy: Name; readonly strategyOptions?: OptionsIn<Options> }
    : never

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
export function defineConfig<
  Strategy extends NamedPlugin = never,
  Ranker extends NamedPlugin = never,
  Importer extends NamedPlugin = never,
>(config: ConfigInput<Strategy, Ranker, Importer>): ConfigInput<Strategy, Ranker, Importer> {
  return config
}
