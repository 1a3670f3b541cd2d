// What commander has to say of a command line that it cannot read, in our shape and with our exit code.

import type { CommanderError } from 'commander'
import { errorOf } from '../core/errors.ts'
import type { Environment } from './environment.ts'
import { createOutput } from './output/output.ts'
import { readTerminal } from './output/terminal.ts'
import { failWith } from './work.ts'

/** Help and version come this way too, and are no errors. */
export function reportUsage(
  { code, exitCode, message }: CommanderError,
  words: readonly string[],
  { env }: Pick<Environment, 'env'>,
): number {
  if (exitCode === 0) return 0
  // `toolcrib` alone with nothing to do shows its help as an error.
  if (code === 'commander.help') return 1
  const output = createOutput({ json: words.includes('--json') }, readTerminal(process, env))
  const command = ['toolcrib', ...namedIn(words, code, message)].join(' ')
  const reason = message.replace(/^error: /, '').replace(/\n\(/, ' (')
  return failWith(output, errorOf('INVALID_ARGUMENTS', { reason: capitalize(reason).replace(/\.$/, ''), command }))
}

/** The command that was meant, and the one below it: what its help is asked with. */
function namedIn([first = '', second = '']: readonly string[], code: string, message: string): readonly string[] {
  const isKnown = (word: string) => !(code === 'commander.unknownCommand' && message.includes(`'${word}'`))
  if (first.startsWith('-') || !isKnown(first)) return []
  return first !== 'config' || second === '' || second.startsWith('-') || !isKnown(second) ? [first] : [first, second]
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
