// Shortens the description of a field: removes what its name, its type or the rest of the answer already says.

import { cutAtSentence } from '../text.ts'
import type { Reading } from './schema-reader.ts'

export type WordSet = ReadonlySet<string>

/** A longer description is never treated as a repetition of the name. */
const MAX_REPEATED_CHARS = 80

/** Only the start of a long description is read: this many times the shown length. */
const READ_FACTOR = 4

/** Shortens the description to `max` characters. Undefined if it is absent or adds nothing to the name and `known`. */
export function shortDescription(
  name: string,
  { description, default: defaultValue }: Reading,
  max: number,
  known?: WordSet,
): string | undefined {
  if (description === undefined || max <= 0) return undefined
  const line = description
    .slice(0, max * READ_FACTOR)
    .replace(/\s+/g, ' ')
    .trim()
  const remaining = withoutShownFacts(line, defaultValue !== undefined)
  if (remaining === '' || isRepeated(name, remaining, known)) return undefined
  return cutAtSentence(remaining, max).replace(/(?<!\.\.)\.$/, '')
}

/** The words of a text without endings: `Creates an issue` also matches `create` and `issues`. */
export function wordSetOf(text: string): WordSet {
  return new Set(wordsOf(text))
}

const VALUE = '(?:"[^"]*"|\'[^\']*\'|`[^`]*`|[^\\s()]+?)'
const DEFAULT = new RegExp(
  ` ?(?:\\((?:defaults? (?:to|is|value)|default)[:=]? ?${VALUE}\\)|[.,;] (?:defaults? (?:to|is)|default)[:=]? ?${VALUE}\\.?$)`,
  'i',
)

/** Removes `required`, `optional` and the default, because the list already shows them. */
function withoutShownFacts(text: string, hasDefault: boolean): string {
  const plain = text
    .replace(/ ?\((?:optional|required)\)/gi, '')
    .replace(/^\[?(?:optional|required)\]?(?:[.:,-]+ | )(?=\S)/i, '')
  return (hasDefault ? plain.replace(DEFAULT, '') : plain).trim()
}

const FILLERS = wordSetOf('a an the this that of to for from in on at with by or and is are be will which your given')

/** `ID of the project to update` adds nothing to the field `projectId` of the tool `update_project`. */
function isRepeated(name: string, description: string, known: WordSet = FILLERS): boolean {
  if (description.length > MAX_REPEATED_CHARS) return false
  const own = wordSetOf(name)
  const words = wordsOf(description)
  // `name: The index to search` shares no word with its name, so it adds something.
  if (!words.some((word) => own.has(word))) return words.length === 0
  return words.every((word) => own.has(word) || FILLERS.has(word) || known.has(word))
}

function wordsOf(text: string): readonly string[] {
  const words =
    text
      .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  return words.map((word) => (word.length > 3 ? word.replace(/(?:ies|es|s|ed|ing|e|y)$/, '') : word))
}
