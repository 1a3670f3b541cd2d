// Finds all problems of a configuration: errors, references to unset variables, and rules without the expected effect.

import type { LoadedConfig } from '../../config/load/load.ts'
import { type ConfigProblem, pathText } from '../../config/problem.ts'
import { resolveText } from '../../config/references.ts'
import { storeOf } from '../../config/store-setting.ts'
import { ToolcribError } from '../../core/errors.ts'
import { quoteList } from '../../core/text.ts'
import { rankerIn } from '../../crib/config-plugins.ts'
import { requireMetricsPackage } from '../../front/metrics/metrics.ts'
import { findRuleProblems, type KnownTools } from '../../rules/rule-findings.ts'
import { compileRuleSets, findOddInSets } from '../../rules/rule-sets.ts'
import type { Environment } from '../../setup/environment.ts'
import { howToSet, type SecretsPlace, unsetVariables } from '../gateway/server-variables.ts'
import { capitalize } from '../output/text.ts'
import { chooseStrategy, findStrategyFault } from '../strategy/choose-strategy.ts'
import { namedTokens } from './named-tokens.ts'

/**
 * `file` and `path` are absent if the position is not known, for example for an unknown ranker or a warning about a
 * rule.
 */
export type FoundProblem = Pick<ConfigProblem, 'severity' | 'message'> & Partial<ConfigProblem>

interface CheckEnvironment extends Pick<Environment, 'env'> {
  /** The place of the secrets file. Without it, the advice does not name this file. */
  readonly secretsPlace?: SecretsPlace
}

/** `known` has the tools to compare the rules with. If undefined, the rules are not compared. */
export function problemsIn(
  loaded: LoadedConfig,
  environment: CheckEnvironment,
  known: KnownTools | undefined,
): readonly FoundProblem[] {
  return [
    ...loaded.problems,
    ...strategyProblems(loaded, environment),
    ...choiceProblems(loaded),
    ...unsetProblems(loaded, environment),
    ...namedTokens(loaded).problems,
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

/** Reports an unknown strategy, or options that the strategy does not accept, as a config error. */
function strategyProblems(loaded: LoadedConfig, { env }: Pick<Environment, 'env'>): readonly FoundProblem[] {
  const fault = findStrategyFault(() => chooseStrategy(loaded, {}, env))
  if (fault === undefined) return []
  const { error, file, path } = fault
  return [{ severity: 'error', message: error.message, ...(file === undefined ? {} : { file, path }) }]
}

/** Reports an unknown ranker or store, and metrics without their package, as config errors. */
function choiceProblems(loaded: LoadedConfig): readonly FoundProblem[] {
  const checks = [
    () => void rankerIn(loaded.config),
    () => void storeOf(loaded),
    () => loaded.config.http.metrics.enabled && requireMetricsPackage(),
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

/** References to unset variables in the servers and the people of the config, as warnings. */
function unsetProblems(loaded: LoadedConfig, environment: CheckEnvironment): readonly ConfigProblem[] {
  const { env: variables } = environment
  const { servers, config, origin } = loaded
  const ofServers = servers
    .filter(({ enabled }) => enabled)
    .flatMap(({ name, connection, origin: { file, path = '', source } }) =>
      unsetVariables(connection, variables).map(({ variable, field }) => {
        const inside = pathText(field)
        // The file of a client may name its fields differently, so only a path in our own format includes the field.
        const location = { file, path: source === 'config' || source === 'project' ? `${path}.${inside}` : path }
        return unsetProblem(
          location,
          variable,
          `but ${inside} of server '${name}' refers to it`,
          adviceFor(variable, environment),
        )
      }),
    )
  const file = origin.kind === 'defaults' ? '' : origin.file
  const ofPeople = Object.entries(config.people).flatMap(([person, values]) =>
    Object.entries(values).flatMap(([name, text]) => {
      const resolved = resolveText(text, variables)
      const location = { file, path: pathText(['people', person, name]) }
      const effect = `so '${person}' has no value for '${name}'`
      const missing = resolved.ok ? [] : resolved.missing
      return missing.map((variable) => unsetProblem(location, variable, effect, 'Export it, or add it to secrets.env'))
    }),
  )
  return [...ofServers, ...ofPeople]
}

function adviceFor(variable: string, { secretsPlace }: CheckEnvironment): string {
  return secretsPlace === undefined
    ? `Export it, or give a default as in \${${variable}:-value}`
    : capitalize(howToSet([variable], secretsPlace))
}

function unsetProblem(
  location: Pick<ConfigProblem, 'file' | 'path'>,
  variable: string,
  effect: string,
  advice: string,
): ConfigProblem {
  return {
    ...location,
    severity: 'warning',
    expected: 'a variable that is set, or a default',
    found: 'neither',
    message: `Variable ${quoteList([variable])} is not set, ${effect}. ${advice}`,
  }
}
