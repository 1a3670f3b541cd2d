// The names of clients, and what to say to another.

import { importers } from '../../config/imports/builtins.ts'
import { raise } from '../../core/errors.ts'
import { calculateSimilarity } from '../../core/similarity.ts'
import { quoteList } from '../../core/text.ts'

/** Below this, two names have only a few letters in common. */
const ALIKE = 0.5
const MAX_SUGGESTIONS = 3

/** Of the clients that the gateway can be put into. */
export function clientNames(): readonly string[] {
  return [...importers.values()].filter(({ writer }) => writer !== undefined).map(({ name }) => name)
}

/** Raises where none is, with those there are. */
export function namedClient(client: string | undefined, command: string): string {
  if (client !== undefined) return client
  const reason = `No client is named; the clients are ${quoteList(clientNames())}`
  return raise('INVALID_ARGUMENTS', { reason, command: `toolcrib ${command}` })
}

/** `No client is called 'crsor'; did you mean 'cursor'? The clients are ...`. */
export function unknownClientText(client: string): string {
  const names = clientNames()
  const all = `the clients are ${quoteList(names)}`
  const likely = nearest(client, names)
  const start = `No client is called '${client}'`
  if (likely.length === 0) return `${start}; ${all}`
  const choice = likely.map((name) => `'${name}'`).join(' or ')
  return `${start}; did you mean ${choice}? ${all.replace('the', 'The')}`
}

function nearest(client: string, names: readonly string[]): readonly string[] {
  const word = client.toLowerCase()
  const scored = names.map((name) => ({
    name,
    score: word.length > 2 && name.includes(word) ? 1 : calculateSimilarity(word, name),
  }))
  return scored
    .filter(({ score }) => score >= ALIKE)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name }) => name)
}
