// Chooses the strategy and its options, and records the reason: a flag, the config, the environment or the default.

import type { LoadedConfig } from '../../config/load/load.ts'
import { pluginsOf } from '../../crib/config-plugins.ts'
import { createStrategy, findStrategy } from '../../disclosure/strategies/create-strategy.ts'
import { isStrategyPlugin, type StrategyPlugin } from '../../disclosure/strategy.ts'
import { type SwitchedStrategy, strategyIn } from '../../disclosure/strategy-switches.ts'
import type { Environment } from '../../setup/environment.ts'
import { strategyOptionsIn } from './strategy-flags.ts'

export interface ChosenStrategy {
  readonly strategy: string
  readonly options: Readonly<Record<string, unknown>>
  /** The strategies that the config defines. */
  readonly own: readonly StrategyPlugin[]
  /** For people: the flag, file, variable or default that decided. */
  readonly reason: string
  /** Set if an environment variable decided. */
  readonly switched?: SwitchedStrategy
}

interface StrategyChoiceFlags {
  readonly strategy?: string | undefined
}

const DEFAULT_STRATEGY = 'gateway'

export function chooseStrategy(
  { config: { discovery, plugins }, origin }: LoadedConfig,
  flags: StrategyChoiceFlags,
  env: Environment['env'],
): ChosenStrategy {
  const { strategy, reason, switched } = strategyAndReason(
    discovery.strategy,
    origin.kind === 'defaults' ? '' : origin.file,
    flags,
    env,
  )
  // If the config names another strategy, its options belong to that strategy.
  const areForThisStrategy = discovery.strategy === undefined || discovery.strategy === strategy
  const options = {
    ...(areForThisStrategy ? discovery.strategyOptions : {}),
    ...strategyOptionsIn({ ...flags }, strategy, 'toolcrib serve'),
  }
  const own = pluginsOf('strategies', plugins?.strategies, isStrategyPlugin)
  return { strategy, options, own, reason, ...(switched === undefined ? {} : { switched }) }
}

/** Throws if the strategy does not exist or does not accept these options. */
export function checkStrategy({
  strategy,
  options,
  own = [],
}: Pick<ChosenStrategy, 'strategy' | 'options'> & Partial<ChosenStrategy>): void {
  createStrategy(findStrategy(strategy, own), options, { hasContexts: false })
}

/** The configuration with the chosen strategy and options written into it. */
export function withStrategy(loaded: LoadedConfig, { strategy, options }: ChosenStrategy): LoadedConfig {
  const { config } = loaded
  return { ...loaded, config: { ...config, discovery: { ...config.discovery, strategy, strategyOptions: options } } }
}

function strategyAndReason(
  configured: string | undefined,
  file: string,
  flags: StrategyChoiceFlags,
  env: Environment['env'],
): Omit<ChosenStrategy, 'options' | 'own'> {
  if (flags.strategy !== undefined) return { strategy: flags.strategy, reason: 'given with --strategy' }
  if (configured !== undefined) return { strategy: configured, reason: `set in ${file}` }
  const switched = strategyIn(env)
  return switched === undefined ? { strategy: DEFAULT_STRATEGY, reason: 'the default' } : { ...switched, switched }
}
