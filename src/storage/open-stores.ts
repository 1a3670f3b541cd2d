// Opens the stores of a gateway: the kind that the config names, one store per part.

import { join } from 'node:path'
import { defined } from '../core/defined.ts'
import { raise } from '../core/errors.ts'
import { quoteList } from '../core/text.ts'
import { stores } from './builtins.ts'
import { fileStore } from './file.ts'
import type { OnProblem } from './problem.ts'
import type { Store, StorePart, StorePlugin } from './store.ts'

interface PartFolders {
  readonly stateDir: string
  readonly cacheDir: string
}

/** `wanted` is a name, or an address such as `redis://host:6379`. `more` are stores of the user, which come first. */
export function chooseStore(wanted: string = fileStore.name, more: readonly StorePlugin[] = []): StorePlugin {
  const all = [...more, ...stores.values()]
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(wanted)?.[0].toLowerCase()
  const byScheme = scheme === undefined ? undefined : all.find(({ schemes = [] }) => schemes.includes(scheme))
  if (byScheme !== undefined) return atAddress(byScheme, wanted)
  const found = all.find(({ name, schemes }) => name === wanted && schemes === undefined)
  if (found !== undefined) return found
  const known = [...new Set(all.map(({ name, schemes }) => (schemes === undefined ? name : `${schemes[0]}//…`)))]
  return raise('INVALID_OPTIONS', {
    what: 'store',
    reason: unknownStoreText(wanted, scheme),
    todo: `The stores are ${quoteList(known, known.length)}.`,
  })
}

/** Shows a name or the scheme of an address. Any other text can be an address with a typing error and a password. */
function unknownStoreText(wanted: string, scheme: string | undefined): string {
  if (scheme !== undefined) return `there is no store '${scheme}…'`
  return /^[\w.-]{1,32}$/.test(wanted)
    ? `there is no store '${wanted}'`
    : 'it is neither the name of a store nor an address; an address has no quotes or spaces around it'
}

function atAddress(plugin: StorePlugin, url: string): StorePlugin {
  const { check } = plugin
  return {
    ...plugin,
    open: (options) => plugin.open({ ...options, url }),
    ...(check === undefined ? {} : { check: () => check(url) }),
  }
}

/** Returns a function that opens the store of a part. */
export function storeOpener(
  plugin: StorePlugin,
  folders: PartFolders,
  onProblem?: OnProblem,
): (part: StorePart) => Store {
  return (part) => plugin.open(defined({ part, dir: partFolder(part, folders), onProblem }))
}

/** Returns a function that gives the path of the file of an entry. Undefined if the store does not use files. */
export function entryFileFinder(
  { addressOf }: StorePlugin,
  folders: PartFolders,
): ((part: StorePart, key: string) => string) | undefined {
  return addressOf && ((part, key) => addressOf({ part, dir: partFolder(part, folders) }, key))
}

function partFolder(part: StorePart, { stateDir, cacheDir }: PartFolders): string {
  if (part === 'state') return join(stateDir, 'store')
  // Tokens and logins are not in the folder of `state`, because a full store removes its oldest entries of any kind.
  return join(part === 'tokens' || part === 'logins' ? stateDir : cacheDir, part)
}
