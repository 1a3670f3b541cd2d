// Names in flat listings: legal, at most 64 characters, unique, and the same for the same set in any order.

import { createHash } from 'node:crypto'

export const MAX_LISTED_NAME = 64
const HASH_LENGTH = 8

/** A name that every client accepts: other characters become `_`, what is too long ends in a hash of the whole. */
export function legalName(name: string): string {
  const legal = name.replace(/[^A-Za-z0-9_.-]/g, '_')
  if (legal.length > 0 && legal.length <= MAX_LISTED_NAME) return legal
  return `${legal.slice(0, MAX_LISTED_NAME - HASH_LENGTH - 1)}_${hash(name)}`
}

/** One legal name per given name; where two fall together, all of them get a hash of the name they came from. */
export function uniqueNames(names: readonly string[]): ReadonlyMap<string, string> {
  const distinct = [...new Set(names)]
  const claims = new Map<string, number>()
  for (const name of distinct) claims.set(legalName(name), (claims.get(legalName(name)) ?? 0) + 1)
  const taken = new Set<string>()
  return new Map(
    // Sorted, so that even a hash collision is settled the same way whatever the order of the sources.
    distinct.sort().map((name) => {
      const legal = legalName(name)
      let unique = claims.get(legal) === 1 ? legal : hashed(legal, name)
      for (let salt = 1; taken.has(unique); salt++) unique = hashed(legal, `${name}#${salt}`)
      taken.add(unique)
      return [name, unique]
    }),
  )
}

function hashed(legal: string, name: string): string {
  return `${legal.slice(0, MAX_LISTED_NAME - HASH_LENGTH - 1)}_${hash(name)}`
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH)
}
