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
  const [first = ''] = words
  const isUnknown = code === 'commander.unknownCommand' && message.includes(`'${first}'`)
  const command = isUnknown || first.startsWith('-') ? 'toolcrib' : `toolcrib ${first}`
  const reason = message.replace(/^error: /, '').replace(/\n\(/, ' (')
  return failWith(output, errorOf('INVALID_ARGUMENTS', { reason: capitalize(reason).replace(/\.$/, ''), command }))
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
