// Recognises and reports security settings that cannot be read.

import { findSimilarTools } from '../core/similarity.ts'
import { type ConfigLocation, type ConfigProblem, problemAt } from './problem.ts'

/** Reports the safe value that is used instead of a setting that cannot be read. */
export function failClosedProblem(location: ConfigLocation, effect: string): ConfigProblem {
  return problemAt(location, {
    severity: 'warning',
    expected: 'a valid setting',
    found: 'an invalid one',
    message: `Until this is corrected, ${effect}`,
  })
}

/** Unknown keys that are most similar to this name. `elsewhere` contains the names that are known in another object. */
export function misspelledKeys(
  record: Readonly<Record<string, unknown>>,
  name: string,
  known: readonly string[],
  elsewhere: readonly string[] = [],
): readonly string[] {
  const names = [...known, ...elsewhere]
  return Object.keys(record).filter((key) => !known.includes(key) && findSimilarTools(key, names, 1)[0] === name)
}
