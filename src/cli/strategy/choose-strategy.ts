// Chooses the strategy and its options, and records the reason: a flag, the config, the environment or the default.

import type { LoadedConfig } from '../../config/load/load.ts'
import { createStrategy } from '../../disclosure/strategies/create-strategy.ts'
import { type SwitchedStrategy, strategyIn } from '../../disclosure/strategy-switches.ts'
import type { Environment } from '../../setup/environment.ts'
import { strategyOptionsIn } from './strategy-flags.ts'

export interface ChosenStrategy {
  readonly strategy: string
  readonly options: Readonly<Record<string, unknown>>
  /** For people: the flag, file, variable or default that decided. */
  readonly reason: string
  /** Set if an environment variable decided. */
  readonly switched?: SwitchedStrategy
}

export interface StrategyChoiceFlags {
  readonly strategy?: string | undefined
}

const DEFAULT = 'gateway'

export function chooseStrategy(
  { config: { discovery }, origin }: LoadedConfig,
  flags: StrategyChoiceFlags,
  env: Environment['env'],
): ChosenStrategy {
  const { strategy, reason, switched } = strategyAndReason(
    discovery.strategy,
    origin.kind === 'defaults' ? '' : origin.file,
    flags,
    env,
  )
  // Options written beside the name of another strategy belong to that strategy.
  const areForThisStrategy = discovery.strategy === undefined || discovery.strategy === strategy
  const options = {
    ...(areForThisStrategy ? discovery.strategyOptions : {}),
    ...strategyOptionsIn({ ...flags }, strategy, 'toolcrib serve'),
  }
  return { strategy, options, reason, ...(switched === undefined ? {} : { switched }) }
}

/** Fails if the strategy does not exist or does not take these options. */
export function checkStrategy(strategy: string, options: unknown): void {
  createStrategy(strategy, options, { hasContexts: false })
}

/** The configuration with the chosen strategy and options written into it. */
export function withStrategy(loaded: LoadedConfig, flags: StrategyChoiceFlags, env: Environment['env']): LoadedConfig {
  const { strategy, options } = chooseStrategy(loaded, flags, env)
  const { config } = loaded
  return { ...loaded, config: { ...config, discovery: { ...config.discovery, strategy, strategyOptions: options } } }
}

function strategyAndReason(
  configured: string | undefined,
  file: string,
  flags: StrategyChoiceFlags,
  env: Environment['env'],
): Omit<ChosenStrategy, 'options'> {
  if (flags.strategy !== undefined) return { strategy: flags.strategy, reason: 'given with --strategy' }
  if (configured !== undefined) return { strategy: configured, reason: `set in ${file}` }
  const switched = strategyIn(env)
  return switched === undefined ? { strategy: DEFAULT, reason: 'the default' } : { ...switched, switched }
}
