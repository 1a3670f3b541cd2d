// Finds all problems of a configuration: errors, references to unset variables, and rules without the expected effect.

import type { LoadedConfig } from '../../config/load/load.ts'
import type { ConfigProblem } from '../../config/problem.ts'
import { storeOf } from '../../config/store-setting.ts'
import { ToolcribError } from '../../core/errors.ts'
import { rankerIn } from '../../crib/config-plugins.ts'
import { findRuleProblems, type KnownTools } from '../../rules/rule-findings.ts'
import { compileRuleSets, findOddInSets } from '../../rules/rule-sets.ts'
import type { Environment } from '../../setup/environment.ts'
import { checkStrategy, chooseStrategy } from '../strategy/choose-strategy.ts'
import { unsetProblems } from './unset-problems.ts'

/**
 * `file` and `path` are absent if the position is not known, for example for an unknown strategy or a warning about a
 * rule.
 */
export type FoundProblem = Pick<ConfigProblem, 'severity' | 'message'> & Partial<ConfigProblem>

/** `known` has the tools to compare the rules with. If undefined, the rules are not compared. */
export function problemsIn(
  loaded: LoadedConfig,
  environment: Pick<Environment, 'env'>,
  known: KnownTools | undefined,
): readonly FoundProblem[] {
  return [
    ...loaded.problems,
    ...choiceProblems(loaded, environment),
    ...unsetProblems(loaded, environment.env),
    ...ruleProblems(loaded, known),
  ]
}

function ruleProblems(loaded: LoadedConfig, known: KnownTools | undefined): readonly FoundProblem[] {
  const { rules, origin, project, projectRules } = loaded
  const broken = [
    ...findRuleProblems(rules, origin.kind === 'defaults' ? '' : origin.file),
    ...findRuleProblems(projectRules, project?.file ?? ''),
  ]
  if (known === undefined) return broken
  const odd = findOddInSets(compileRuleSets(loaded), known)
  const warnings = odd.filter(({ kind }) => kind !== 'broken')
  return [...broken, ...warnings.map(({ message }): FoundProblem => ({ severity: 'warning', message }))]
}

/** Reports an unknown strategy, wrong strategy options, an unknown ranker or an unknown store as config errors. */
function choiceProblems(loaded: LoadedConfig, { env }: Pick<Environment, 'env'>): readonly FoundProblem[] {
  const checks = [
    () => checkStrategy(chooseStrategy(loaded, {}, env)),
    () => void rankerIn(loaded.config),
    () => void storeOf(loaded),
  ]
  return checks.flatMap((check): readonly FoundProblem[] => {
    try {
      check()
      return []
    } catch (error) {
      if (error instanceof ToolcribError) return [{ severity: 'error', message: error.message }]
      throw error
    }
  })
}
