// Reports an unknown strategy, wrong strategy options, an unknown ranker or an unknown store as config errors.

import type { LoadedConfig } from '../../../config/load/load.ts'
import { ToolcribError } from '../../../core/errors.ts'
import { chooseRanker } from '../../../search/rankers/choose-ranker.ts'
import type { Environment } from '../../../setup/environment.ts'
import { chooseStore } from '../../../storage/open-stores.ts'
import { checkStrategy, chooseStrategy } from '../../strategy/choose-strategy.ts'

export function strategyProblems(
  loaded: LoadedConfig,
  { env }: Environment,
): readonly { readonly severity: 'error'; readonly message: string }[] {
  const checks = [
    () => {
      const { strategy, options } = chooseStrategy(loaded, {}, env)
      checkStrategy(strategy, options)
    },
    () => void chooseRanker(loaded.config.discovery.search.ranker),
    () => void chooseStore(loaded.config.store),
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
