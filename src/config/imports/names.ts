// A list of names somewhere in a client's settings, such as the servers it is told to leave out.

import { z } from 'zod'
import { check } from '../check.ts'
import { findKey } from '../entries.ts'
import { type ConfigProblem, inside, type Place } from '../problem.ts'

export interface NameList {
  /** Absent where the list is, or where it cannot be read; then there is a problem. */
  readonly names?: readonly string[]
  readonly problems: readonly ConfigProblem[]
}

export function readNames(record: Readonly<Record<string, unknown>>, name: string, place: Place): NameList {
  const key = findKey(record, name)
  if (key === undefined || record[key] === undefined || record[key] === null) return { problems: [] }
  const { value, problems } = check(z.array(z.string()), record[key], inside(place, key))
  return value === undefined ? { problems } : { names: value, problems }
}
