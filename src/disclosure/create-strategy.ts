// A strategy by its name, with its options; the prefix of the server's own tools may stand among them.

import { raise } from '../core/errors.ts'
import { DEFAULT_PREFIX } from '../sources/commands/define.ts'
import { strategies } from './builtins.ts'
import { splitPrefix } from './own-prefix.ts'
import type { Strategy, StrategyEnvironment } from './strategy.ts'

export interface CreatedStrategy {
  readonly strategy: Strategy
  readonly prefix: string
}

export type Surroundings = Omit<StrategyEnvironment, 'prefix'> & { readonly prefix?: string | undefined }

export function createStrategy(name: string, options: unknown, surroundings: Surroundings): CreatedStrategy {
  const plugin = strategies.get(name) ?? raise('UNKNOWN_STRATEGY', { name, names: [...strategies.keys()] })
  const isPrefixKnown = surroundings.prefix !== undefined || plugin.optionNames.includes('prefix')
  const { prefix, rest } = isPrefixKnown
    ? { prefix: surroundings.prefix ?? DEFAULT_PREFIX, rest: options }
    : splitPrefix(options)
  return { strategy: plugin.create(rest, { ...surroundings, prefix }), prefix }
}
