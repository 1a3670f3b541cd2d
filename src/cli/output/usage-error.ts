// Prints the errors of commander in our format and with our exit codes.

import type { CommanderError } from 'commander'
import { errorOf } from '../../core/errors.ts'
import type { Environment } from '../../setup/environment.ts'
import { createOutput } from './output.ts'
import { readTerminal } from './terminal.ts'
import { failWith } from './work.ts'

/** commander reports --help and --version this way too; their exit code is 0. */
export function reportUsage(
  { code, exitCode, message }: CommanderError,
  words: readonly string[],
  { env }: Pick<Environment, 'env'>,
): number {
  if (exitCode === 0) return 0
  // commander shows the help as an error if a command with subcommands gets none.
  if (code === 'commander.help') return 1
  const output = createOutput({ json: words.includes('--json') }, readTerminal(process, env))
  const command = ['toolcrib', ...namedIn(words, code, message)].join(' ')
  const reason = message.replace(/^error: /, '').replace(/\n\(/, ' (')
  return failWith(output, errorOf('INVALID_ARGUMENTS', { reason: capitalize(reason).replace(/\.$/, ''), command }))
}

/** The command and subcommand on the command line, for the hint that points to their help. */
function namedIn([first = '', second = '']: readonly string[], code: string, message: string): readonly string[] {
  const isKnown = (word: string) => !(code === 'commander.unknownCommand' && message.includes(`'${word}'`))
  if (first.startsWith('-') || !isKnown(first)) return []
  return first !== 'config' || second === '' || second.startsWith('-') || !isKnown(second) ? [first] : [first, second]
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
