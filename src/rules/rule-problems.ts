// Rules that cannot be read, as problems of the file that they are written in.

import { type ConfigProblem, pathText } from '../config/problem.ts'
import type { ToolRule } from '../config/server-config.ts'
import { describeBroken } from './rule-findings.ts'
import { compileRules } from './rules.ts'

/** `file`: the config file of the user. A rule that carries over the list of a client names the file of that client. */
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
        expected: 'a pattern that can be read',
        found: 'one that cannot',
        message: describeBroken(rule),
      },
    ]
  })
}
