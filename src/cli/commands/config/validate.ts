// toolcrib config validate: reports every error in the configuration, and every rule without the expected effect.

import type { LoadedConfig } from '../../../config/load/load.ts'
import { type ConfigProblem, renderProblem, type Severity } from '../../../config/problem.ts'
import { storeSetting } from '../../../config/store-setting.ts'
import { ToolcribError } from '../../../core/errors.ts'
import { rankerIn } from '../../../crib/config-plugins.ts'
import { findRuleProblems } from '../../../rules/rule-problems.ts'
import { compileRuleSets, findOddInSets } from '../../../rules/rule-sets.ts'
import type { Environment } from '../../../setup/environment.ts'
import { loadFor } from '../../../setup/load-config.ts'
import { chooseStore } from '../../../storage/open-stores.ts'
import { openSession } from '../../gateway/session.ts'
import { count, wrap } from '../../output/text.ts'
import type { Work } from '../../output/work.ts'
import { checkStrategy, chooseStrategy } from '../../strategy/choose-strategy.ts'
import { unsetProblems } from './unset-problems.ts'

const INVALID = 2

type Problem = Pick<ConfigProblem, 'severity' | 'message'> & Partial<ConfigProblem>

export async function validateConfig(work: Work): Promise<number> {
  const { output, environment, flags, signal } = work
  const loaded = await loadFor(environment, flags, signal)
  const problems: readonly Problem[] = [
    ...loaded.problems,
    ...choiceProblems(loaded, environment),
    ...unsetProblems(loaded, environment.env),
    ...(await ruleProblems(work, loaded)),
  ]
  const by = (severity: Severity) => problems.filter((problem) => problem.severity === severity)
  const [errors, warnings, infos] = [by('error'), by('warning'), by('info')]
  const isValid = errors.length === 0
  const file = loaded.origin.kind === 'defaults' ? null : loaded.origin.file
  output.show({ valid: isValid, file, errors, warnings, notes: infos }, () => {
    if (output.isQuiet) return errors.map(lineOf)
    const { paint } = output
    const counts = [count(errors.length, 'error'), count(warnings.length, 'warning')].join(', ')
    const head = isValid
      ? `${paint.green('✓')} The configuration is valid`
      : `${paint.red('✗')} The configuration is not valid`
    const shown = [...errors, ...warnings, ...(output.isVerbose ? infos : [])]
    const lines = shown.flatMap((problem) => wrap(lineOf(problem), output.width, '  '))
    return [
      `${head} (${counts})`,
      ...(file === null ? ['  There is no config file, so the defaults apply.'] : []),
      ...lines,
    ]
  })
  return isValid ? 0 : INVALID
}

function lineOf(problem: Problem): string {
  const { severity, message, file, path, expected, found, ...rest } = problem
  if (file === undefined || path === undefined) return `${severity}: ${message}`
  return renderProblem({ severity, message, file, path, expected: expected ?? '', found: found ?? '', ...rest })
}

/** Compares the rules with the known tools. Starts no server. */
async function ruleProblems(work: Work, loaded: LoadedConfig): Promise<readonly Problem[]> {
  const { rules, origin, project, projectRules } = loaded
  const broken = [
    ...findRuleProblems(rules, origin.kind === 'defaults' ? '' : origin.file),
    ...findRuleProblems(projectRules, project?.file ?? ''),
  ]
  if (!loaded.isValid) return broken
  await using session = await openSession(work, { loaded })
  const odd = findOddInSets(compileRuleSets(loaded), await session.knownTools())
  const warnings = odd.filter(({ kind }) => kind !== 'broken')
  return [...broken, ...warnings.map(({ message }): Problem => ({ severity: 'warning', message }))]
}

/** Reports an unknown strategy, wrong strategy options, an unknown ranker or an unknown store as config errors. */
function choiceProblems(loaded: LoadedConfig, { env }: Environment): readonly Problem[] {
  const checks = [
    () => checkStrategy(chooseStrategy(loaded, {}, env)),
    () => void rankerIn(loaded.config),
    () => void chooseStore(storeSetting(loaded), loaded.config.plugins?.stores),
  ]
  return checks.flatMap((check): readonly Problem[] => {
    try {
      check()
      return []
    } catch (error) {
      if (error instanceof ToolcribError) return [{ severity: 'error', message: error.message }]
      throw error
    }
  })
}
