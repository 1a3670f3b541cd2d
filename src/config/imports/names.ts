// Reads a list of names in the settings of a client, such as the servers to leave out.

import { z } from 'zod'
import { check } from '../check.ts'
import { findKey } from '../entries.ts'
import { type ConfigLocation, type ConfigProblem, inside } from '../problem.ts'

interface NameList {
  /** Undefined if the list is absent, or if it cannot be read. In the second case there are `problems`. */
  readonly names?: readonly string[]
  readonly problems: readonly ConfigProblem[]
}

export function readNames(record: Readonly<Record<string, unknown>>, name: string, location: ConfigLocation): NameList {
  const key = findKey(record, name)
  if (key === undefined || record[key] === undefined || record[key] === null) return { problems: [] }
  const { value, problems } = check(z.array(z.string()), record[key], inside(location, key))
  return value === undefined ? { problems } : { names: value, problems }
}
