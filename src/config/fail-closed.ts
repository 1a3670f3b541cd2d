// Settings that protect and cannot be read: how they are recognised and reported.

import { findSimilarTools } from '../core/similarity.ts'
import { type ConfigProblem, type Place, problemAt } from './problem.ts'

/** The report of what is in force in the place of a setting that cannot be read. */
export function closed(place: Place, effect: string): ConfigProblem {
  return problemAt(place, {
    severity: 'warning',
    expected: 'a setting that can be read',
    found: 'one that cannot',
    message: `Until this is corrected, ${effect}`,
  })
}

/** Unknown keys that are most like this name; `elsewhere` holds names that are known in another place. */
export function misspelt(
  record: Readonly<Record<string, unknown>>,
  name: string,
  known: readonly string[],
  elsewhere: readonly string[] = [],
): readonly string[] {
  const names = [...known, ...elsewhere]
  return Object.keys(record).filter((key) => !known.includes(key) && findSimilarTools(key, names, 1)[0] === name)
}
