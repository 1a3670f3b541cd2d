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

/**
 * The unknown keys that are closer to this name than to any other known name. `elsewhere` contains the names of another
 * object: a key that is closer to one of them is not returned.
 */
export function misspelledKeys(
  record: Readonly<Record<string, unknown>>,
  name: string,
  known: readonly string[],
  elsewhere: readonly string[] = [],
): readonly string[] {
  const names = [...known, ...elsewhere]
  return Object.keys(record).filter((key) => !known.includes(key) && findSimilarTools(key, names, 1)[0] === name)
}
