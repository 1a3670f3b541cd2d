// Reports an unknown strategy, wrong strategy options, an unknown ranker or an unknown store as config errors.

import type { LoadedConfig } from '../../../config/load/load.ts'
import { ToolcribError } from '../../../core/errors.ts'
import { rankerIn } from '../../../crib/config-plugins.ts'
import type { Environment } from '../../../setup/environment.ts'
import { chooseStore } from '../../../storage/open-stores.ts'
import { checkStrategy, chooseStrategy } from '../../strategy/choose-strategy.ts'

export function strategyProblems(
  loaded: LoadedConfig,
  { env }: Environment,
): readonly { readonly severity: 'error'; readonly message: string }[] {
  const checks = [
    () => {
      checkStrategy(chooseStrategy(loaded, {}, env))
    },
    () => void rankerIn(loaded.config),
    () => void chooseStore(loaded.config.store, loaded.config.plugins?.stores),
  ]
  return checks.flatMap((check) => {
    try {
      check()
      return []
    } catch (error) {
      if (error instanceof ToolcribError) return [{ severity: 'error' as const, message: error.message }]
      throw error
    }
  })
}
