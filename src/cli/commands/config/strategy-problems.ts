// Reports an unknown strategy or wrong strategy options as config errors.

import type { LoadedConfig } from '../../../config/load/load.ts'
import { ToolcribError } from '../../../core/errors.ts'
import type { Environment } from '../../../setup/environment.ts'
import { checkStrategy, chooseStrategy } from '../../strategy/choose-strategy.ts'

export function strategyProblems(
  loaded: LoadedConfig,
  { env }: Environment,
): readonly { readonly severity: 'error'; readonly message: string }[] {
  try {
    const { strategy, options } = chooseStrategy(loaded, {}, env)
    checkStrategy(strategy, options)
    return []
  } catch (error) {
    if (error instanceof ToolcribError) return [{ severity: 'error', message: error.message }]
    throw error
  }
}
