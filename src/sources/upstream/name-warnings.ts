// Warns of tool names that a person or a model can confuse with others: names of the gateway's tools, and look-alikes.

import { shellWord } from '../../core/text.ts'

/** The letters of scripts with Latin look-alikes, and the full-width Latin letters. Other letters cause no warning. */
const LOOK_ALIKE =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\uff21-\uff3a\uff41-\uff5a]/gu
const LATIN = /\p{Script=Latin}/u

/** The warning for a tool with the name of one of the gateway's own tools. */
export function ownNameWarning(server: string, name: string): string {
  const command = `toolcrib execute ${shellWord(server)} ${shellWord(name)}`
  return `it has the name of a tool of Toolcrib itself; to call it, name its server too: \`${command}\``
}

export function lookAlikeWarnings(name: string): readonly string[] {
  const letters = [...new Set(name.match(LOOK_ALIKE) ?? [])]
  // A name without Latin letters is a word of another language.
  if (letters.length === 0 || !LATIN.test(name)) return []
  const codes = letters.map((letter) => `U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`)
  return [`its name mixes Latin letters with letters of another script that look alike: ${codes.join(', ')}`]
}
