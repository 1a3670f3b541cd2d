// The folder of each store of a gateway. In its own file, so that small bundles can import it alone.

import { join } from 'node:path'
import { entryName } from './entry-file.ts'
import type { StorePart } from './store.ts'

export interface PartFolders {
  readonly stateDir: string
  readonly cacheDir: string
}

export function partFolder(part: StorePart, { stateDir, cacheDir }: PartFolders): string {
  if (part === 'state') return join(stateDir, 'store')
  // Tokens are not in the folder of `state`, where the oldest entries are removed if there are too many.
  return join(part === 'tokens' || part === 'logins' ? stateDir : cacheDir, part)
}

/** The file in which the file store keeps an entry. Other stores have no such file. */
export function partFile(part: StorePart, folders: PartFolders, key: string): string {
  return join(partFolder(part, folders), entryName(key))
}
