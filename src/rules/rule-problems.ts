// Reports rules that cannot be read as problems of their config file.

import { type ConfigProblem, pathText } from '../config/problem.ts'
import type { ToolRule } from '../config/server-config.ts'
import { describeBroken } from './rule-findings.ts'
import { compileRules } from './rules.ts'

/** `file` is the config file of the user. A rule made from the tool list of a client names the file of that client. */
export function findRuleProblems(written: readonly ToolRule[], file: string): readonly ConfigProblem[] {
  return compileRules(written).rules.rules.flatMap((rule): ConfigProblem[] => {
    const [first] = rule.problems
    if (first === undefined) return []
    const { origin } = rule.written
    const path = pathText(['discovery', 'toolRules', rule.number - 1, ...first.path])
    return [
      {
        file: origin?.file ?? file,
        path: origin === undefined ? path : (origin.path ?? ''),
        severity: 'error',
        expected: 'a valid pattern',
        found: 'an invalid one',
        message: describeBroken(rule),
      },
    ]
  })
}
