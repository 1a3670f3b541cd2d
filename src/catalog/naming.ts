// Names in flat listings: legal, unique, at most 64 characters long, and independent of the order of the tools.

import { createHash } from 'node:crypto'

export const MAX_NAME_CHARS = 64
const HASH_CHARS = 8

/**
 * Returns a name that every client and model accepts; some refuse the dots that MCP allows. Characters other than ASCII
 * letters, digits, `_` and `-` become `_`. A name that is empty or too long ends in a hash of the whole name.
 */
export function legalName(name: string): string {
  const legal = name.replace(/[^A-Za-z0-9_-]/g, '_')
  if (legal.length > 0 && legal.length <= MAX_NAME_CHARS) return legal
  return withHash(legal, name)
}

/**
 * Gives each key one legal name, made from its wanted name. If several keys want the same legal name, or a key wants a
 * reserved one, the name of each of these keys ends in a hash of the key.
 */
export function uniqueNames(
  wanted: ReadonlyMap<string, string>,
  reserved: readonly string[] = [],
): ReadonlyMap<string, string> {
  const taken = new Set(reserved)
  const claims = new Map<string, number>(reserved.map((name) => [name, 1]))
  const legalNames = new Map<string, string>()
  for (const [key, name] of wanted) {
    const legal = legalName(name)
    legalNames.set(key, legal)
    claims.set(legal, (claims.get(legal) ?? 0) + 1)
  }
  return new Map(
    // The keys are sorted, so that even a hash collision is resolved the same way for any order of the sources.
    [...legalNames]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, legal]) => {
        let unique = claims.get(legal) === 1 ? legal : withHash(legal, key)
        for (let salt = 1; taken.has(unique); salt++) unique = withHash(legal, `${key}#${salt}`)
        taken.add(unique)
        return [key, unique]
      }),
  )
}

/** The start of `legal`, and a hash of `hashed`. At most 64 characters together. */
function withHash(legal: string, hashed: string): string {
  const hash = createHash('sha256').update(hashed).digest('hex').slice(0, HASH_CHARS)
  return `${legal.slice(0, MAX_NAME_CHARS - HASH_CHARS - 1)}_${hash}`
}
