// The problems of a configuration that a gateway reports, including rules that cannot be read.

import type { LoadedConfig } from '../config/load/load.ts'
import type { ConfigProblem } from '../config/problem.ts'
import { findRuleProblems } from '../rules/rule-findings.ts'

/** The problems that a user should see. Entries of severity info are left out. */
export function problemsOf(loaded: LoadedConfig): readonly ConfigProblem[] {
  return [
    ...loaded.problems.filter(({ severity }) => severity !== 'info'),
    ...ruleProblems(loaded),
    ...projectRuleProblems(loaded),
  ]
}

export function ruleProblems({ rules, origin }: LoadedConfig): readonly ConfigProblem[] {
  return findRuleProblems(rules, origin.kind === 'defaults' ? '' : origin.file)
}

export function projectRuleProblems({ projectRules, project }: LoadedConfig): readonly ConfigProblem[] {
  return findRuleProblems(projectRules, project?.file ?? '')
}
