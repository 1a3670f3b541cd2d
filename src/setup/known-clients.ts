// Lists the known clients, and creates the error text for an unknown client.

import { importers } from '../config/imports/builtins.ts'
import type { ImportEnvironment, Importer, ImportScope } from '../config/imports/importer.ts'
import { calculateSimilarity } from '../core/similarity.ts'
import { quoteList } from '../core/text.ts'

/** Names with a lower similarity have only a few letters in common. */
const MIN_SIMILARITY = 0.5
const MAX_SUGGESTIONS = 3

/** The names of the clients that the gateway can be installed into. */
export function clientNames(): readonly string[] {
  return installable().map(({ name }) => name)
}

/** The clients that have a file of this scope, each with the path of the first such file. */
export function clientsWith(
  environment: ImportEnvironment,
  scope: ImportScope,
): readonly { readonly name: string; readonly file: string }[] {
  return installable().flatMap((client) => {
    const first = client.paths(environment).find((file) => file.scope === scope)
    return first === undefined ? [] : [{ name: client.name, file: first.path }]
  })
}

function installable(): readonly Importer[] {
  return [...importers.values()].filter(({ writer }) => writer !== undefined)
}

/** For example `No client is called 'crsor'; did you mean 'cursor'? The clients are ...`. */
export function unknownClientText(client: string): string {
  const names = clientNames()
  const all = `clients are ${quoteList(names)}`
  const likely = nearest(client, names)
  const start = `No client is called '${client}'`
  if (likely.length === 0) return `${start}; the ${all}`
  const choice = likely.map((name) => `'${name}'`).join(' or ')
  return `${start}; did you mean ${choice}? The ${all}`
}

function nearest(client: string, names: readonly string[]): readonly string[] {
  const word = client.toLowerCase()
  const scored = names.map((name) => ({
    name,
    score: word.length > 2 && name.includes(word) ? 1 : calculateSimilarity(word, name),
  }))
  return scored
    .filter(({ score }) => score >= MIN_SIMILARITY)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name }) => name)
}
