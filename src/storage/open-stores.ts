// Opens the stores of a gateway: the kind that the config names, one store per part.

import { raise } from '../core/errors.ts'
import { quoteList } from '../core/text.ts'
import { stores } from './builtins.ts'
import { fileStore } from './file.ts'
import { type PartFolders, partFolder } from './part-folder.ts'
import type { OnProblem } from './problem.ts'
import type { Store, StorePart, StorePlugin } from './store.ts'

/** `more` are kinds of stores of the user. They have precedence over built-in ones of the same name. */
export function chooseStore(wanted: string = fileStore.name, more: readonly StorePlugin[] = []): StorePlugin {
  const found = more.find(({ name }) => name === wanted) ?? stores.get(wanted)
  if (found !== undefined) return found
  const names = [...new Set([...more.map(({ name }) => name), ...stores.keys()])]
  return raise('INVALID_OPTIONS', {
    what: 'store',
    reason: `there is no store '${wanted}'`,
    todo: `The stores are ${quoteList(names, names.length)}.`,
  })
}

/** Returns a function that opens the store of a part. */
export function storeOpener(
  plugin: StorePlugin,
  folders: PartFolders,
  onProblem?: OnProblem,
): (part: StorePart) => Store {
  return (part) =>
    plugin.open({ part, dir: partFolder(part, folders), ...(onProblem === undefined ? {} : { onProblem }) })
}
