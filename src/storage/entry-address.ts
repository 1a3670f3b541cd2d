// Compares and reads entries of a store by their addresses, without opening the store: small bundles import only this.

import { readEntry } from './entry-file.ts'
import { stampOf } from './file-stamp.ts'

/** Identifies the present version of an entry without reading it. Each `set` and `delete` changes the stamp. */
export function entryStamp(address: string): string {
  return stampOf(address)
}

/** The value, or undefined if there is no such entry, or if it has expired or is damaged. */
export async function entryValue(address: string, now = Date.now()): Promise<unknown> {
  const entry = await readEntry(address, () => {}) // a gateway that reads the entry reports a damaged file
  return entry !== undefined && entry.expiresAt > now ? entry.value : undefined
}
