// Chooses the strategy and its options, and records the reason: a flag, the config, the environment or the default.

import type { LoadedConfig } from '../../config/load/load.ts'
import { ToolcribError } from '../../core/errors.ts'
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
  /** For people: the flag, file, variable or default that chose the strategy. */
  readonly reason: string
  /** Set if an environment variable chose the strategy. */
  readonly switched?: SwitchedStrategy
  /** The config that sets the strategy. */
  readonly strategyFile?: string
  /** The config that sets the options. Absent if a flag sets one of them. */
  readonly optionsFile?: string
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
  const file = origin.kind === 'defaults' ? '' : origin.file
  const { strategy, reason, switched } = strategyAndReason(discovery.strategy, file, flags, env)
  // If the config names another strategy, its options belong to that strategy.
  const areForThisStrategy = discovery.strategy === undefined || discovery.strategy === strategy
  const given = strategyOptionsIn({ ...flags }, strategy, 'toolcrib serve')
  const configured = (areForThisStrategy ? discovery.strategyOptions : undefined) ?? {}
  const own = pluginsOf('strategies', plugins?.strategies, isStrategyPlugin)
  const isStrategyOfConfig = discovery.strategy !== undefined && flags.strategy === undefined
  const areOptionsOfConfig = Object.keys(configured).length > 0 && Object.keys(given).length === 0
  return {
    strategy,
    options: { ...configured, ...given },
    own,
    reason,
    ...(switched === undefined ? {} : { switched }),
    ...(isStrategyOfConfig ? { strategyFile: file } : {}),
    ...(areOptionsOfConfig ? { optionsFile: file } : {}),
  }
}

type CheckedStrategy = Pick<ChosenStrategy, 'strategy' | 'options'> & Partial<ChosenStrategy>

/** Throws if the strategy does not exist or does not accept these options. The error names the key of the config. */
export function checkStrategy(chosen: CheckedStrategy): void {
  const fault = findStrategyFault(() => chosen)
  if (fault === undefined) return
  const { error, file, path } = fault
  if (file === undefined) throw error
  const { code, what, suggestion } = error
  throw new ToolcribError(code, { code, message: `${file} ${path}: ${what}`, suggestion })
}

interface StrategyFault {
  readonly error: ToolcribError
  /** The config with the wrong value. Undefined if the value comes from a flag or a variable. */
  readonly file: string | undefined
  /** The key of the value. */
  readonly path: string
}

/** Undefined if the strategy exists and accepts the options. */
export function findStrategyFault(choose: () => CheckedStrategy): StrategyFault | undefined {
  let place: Pick<StrategyFault, 'file' | 'path'> = { file: undefined, path: '' }
  try {
    const { strategy, options, own = [], strategyFile, optionsFile } = choose()
    place = { file: strategyFile, path: 'discovery.strategy' }
    const plugin = findStrategy(strategy, own)
    place = { file: optionsFile, path: 'discovery.strategyOptions' }
    createStrategy(plugin, options, { hasContexts: false })
    return undefined
  } catch (error) {
    if (error instanceof ToolcribError) return { error, ...place }
    throw error
  }
}

/** The wrong strategy or options of the config. A gateway does not start with them. */
export function strategyErrors(loaded: LoadedConfig, env: Environment['env']) {
  const fault = findStrategyFault(() => chooseStrategy(loaded, {}, env))
  return fault?.file === undefined ? [] : [{ file: fault.file, path: fault.path, message: fault.error.message }]
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
