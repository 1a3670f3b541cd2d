// Creates a strategy from its name and options, and counts the tokens of the listings of all strategies.

import type { Caller } from '../../core/call.ts'
import { raise } from '../../core/errors.ts'
import { isRecord } from '../../core/is-record.ts'
import { DEFAULT_PREFIX } from '../../core/names.ts'
import {
  commandHints,
  type Hints,
  type MetaTool,
  type Strategy,
  type StrategyEnvironment,
  type StrategyPlugin,
} from '../strategy.ts'
import type { View } from '../view.ts'
import { createAfdTools } from './afd/afd-tools.ts'
import { strategies } from './builtins.ts'
import { countListing } from './listing/tool-cost.ts'

export interface CreatedStrategy {
  readonly name: string
  readonly strategy: Strategy
  /** All tools of the server itself by name: those of the strategy and, on a command server, the five afd tools. */
  readonly metaTools: ReadonlyMap<string, MetaTool>
  readonly prefix: string
  hintsFor(caller: Caller): Hints
}

export type StrategyEnvironmentInput = Omit<StrategyEnvironment, 'prefix'> & { readonly prefix?: string | undefined }

/** `wanted` is the name of a built-in strategy, or a strategy itself. */
export function createStrategy(
  wanted: string | StrategyPlugin,
  options: unknown,
  given: StrategyEnvironmentInput,
): CreatedStrategy {
  const plugin = typeof wanted === 'string' ? findStrategy(wanted) : wanted
  // `prefix` in the options is that of the server's own tools, unless `given` or the schema of the strategy has one.
  const isPrefixKnown = given.prefix !== undefined || plugin.optionNames.includes('prefix')
  const { prefix, rest } = isPrefixKnown
    ? { prefix: given.prefix ?? DEFAULT_PREFIX, rest: options }
    : splitPrefix(options)
  const environment = { ...given, prefix }
  const strategy = plugin.create(rest, environment)
  const metaTools = withCommandTools(strategy.metaTools, environment)
  const { hints = commandHints(prefix) } = strategy
  return {
    name: plugin.name,
    strategy,
    metaTools: new Map(metaTools.map((tool) => [tool.listed.name, tool])),
    prefix,
    hintsFor: typeof hints === 'function' ? hints : () => hints,
  }
}

/** Splits the prefix of the server's own tools from the strategy's own options, which are `rest`. */
export function splitPrefix(options: unknown): { readonly prefix: string; readonly rest: unknown } {
  if (!isRecord(options)) return { prefix: DEFAULT_PREFIX, rest: options }
  const { prefix = DEFAULT_PREFIX, ...rest } = options
  if (typeof prefix === 'string' && /^[a-z][a-z0-9]*$/.test(prefix)) return { prefix, rest }
  return raise('INVALID_OPTIONS', {
    what: 'strategyOptions.prefix',
    reason: 'it is not one lower-case word',
    todo: `Leave it out for '${DEFAULT_PREFIX}', or give a word like 'acme'.`,
  })
}

/** `more` are strategies of the user. They have precedence over built-in ones of the same name. */
export function findStrategy(name: string, more: readonly StrategyPlugin[] = []): StrategyPlugin {
  const found = more.find((plugin) => plugin.name === name) ?? strategies.get(name)
  if (found !== undefined) return found
  return raise('UNKNOWN_STRATEGY', { name, names: [...more.map((plugin) => plugin.name), ...strategies.keys()] })
}

/** A command server answers calls of the five afd tools under every strategy, listed or not. */
function withCommandTools(own: readonly MetaTool[], environment: StrategyEnvironment): readonly MetaTool[] {
  if (environment.builtins !== true) return own
  const names = new Set(own.map(({ listed }) => listed.name))
  return [...own, ...createAfdTools(environment).all.filter(({ listed }) => !names.has(listed.name))]
}

/** Each variant of each built-in strategy. `name` is the name of the strategy, then that of the variant, if any. */
export const measuredListings = [...strategies.values()].flatMap((plugin) =>
  Object.entries(plugin.variants).map(([variant, options]) => ({
    name: `${plugin.name} ${variant}`.trimEnd(),
    strategy: plugin.name,
    options,
  })),
)

/** Counts the tokens of tools/list for the same tools under each variant, to help users choose a strategy. */
export async function listingFigures(
  view: View,
  environment: StrategyEnvironmentInput,
): Promise<Readonly<Record<string, number>>> {
  const figures: Record<string, number> = {}
  for (const { name, strategy, options } of measuredListings) {
    figures[name] = await countListing(await createStrategy(strategy, options, environment).strategy.list(view))
  }
  return figures
}
