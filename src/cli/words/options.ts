// Reads options before the name of the command, as in `toolcrib --json list`, and repeated options such as --header.

import { raise } from '../../core/errors.ts'
import { shellWord } from '../../core/text.ts'

const SWITCHES = new Set(['--json', '-q', '--quiet', '-v', '--verbose'])

/**
 * Moves the options to a place after the command and its words, before the next option. These words may start with a
 * subcommand, to which the options belong. Returns the words unchanged if no command follows or another option comes first.
 */
export function withCommandFirst(words: readonly string[]): readonly string[] {
  let at = 0
  for (let word = words[at]; word?.startsWith('-') === true; word = words[at]) {
    if (word === '--config' && words[at + 1] !== undefined) at += 2
    else if (SWITCHES.has(word) || word.startsWith('--config=')) at += 1
    else return words
  }
  const options = words.slice(0, at)
  const others = words.slice(at)
  if (others.length === 0) return words
  const next = others.findIndex((word) => word.startsWith('-'))
  const end = next === -1 ? others.length : next
  return [...others.slice(0, end), ...options, ...others.slice(end)]
}

/** For `Command.option` of commander: collects the values of a repeated option in a list. */
export function collect(value: string, values: readonly string[]): readonly string[] {
  return [...values, value]
}

/**
 * The advice if the command of a server does not come after `--`. `before` are the words of toolcrib, such as `add` and a
 * name; `program` is the first word of the server's command. The other words are not repeated: they can be secret.
 */
export function separatorAdvice(before: readonly string[], program: string): string {
  const line = ['toolcrib', ...before.map(shellWord), '--', shellWord(program), '...'].join(' ')
  return `Write -- before the command of the server, and the options of toolcrib before --: \`${line}\`.`
}

const HEADER_FORM = "--header takes 'Name: value'; a name has no spaces, only characters that HTTP allows"

/** Reads the values of --header of this command: `Name: value`. Refuses a name that HTTP does not allow. */
export function readHeaders(lines: readonly string[], command: string): Readonly<Record<string, string>> {
  const headers = lines.map((line) => {
    const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/.exec(line) ?? []
    return name === '' ? raise('INVALID_ARGUMENTS', { reason: HEADER_FORM, command }) : [name, value]
  })
  return Object.fromEntries(headers)
}
