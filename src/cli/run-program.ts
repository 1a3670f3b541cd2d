// Parses the command line, runs the command and sets the exit code.

import { CommanderError } from 'commander'
import { errorOf } from '../core/errors.ts'
import { shellWord } from '../core/text.ts'
import { outliveStderr } from '../front/process-stdio.ts'
import { type Environment, readEnvironment } from '../setup/environment.ts'
import { createOutput, endOnBrokenPipe } from './output/output.ts'
import { readTerminal } from './output/terminal.ts'
import { capitalize } from './output/text.ts'
import { failWith } from './output/work.ts'
import { createProgram, withDefaultCommand } from './program.ts'
import { WITH_SUBCOMMANDS } from './words/options.ts'

export async function runProgram(given: readonly string[]): Promise<void> {
  process.stdout.on('error', endOnBrokenPipe)
  outliveStderr()
  const environment = readEnvironment()
  const words = withDefaultCommand(given, process.stdin.isTTY === true)
  try {
    const program = await createProgram(environment, words[0] === 'help' ? words[1] : words[0])
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    process.exitCode = reportUsage(error, words, environment)
  }
}

/** Prints commander's error in our format. commander also reports --help and --version this way, with exit code 0. */
function reportUsage(
  { code, exitCode, message }: CommanderError,
  words: readonly string[],
  { env }: Pick<Environment, 'env'>,
): number {
  if (exitCode === 0) return 0
  // commander shows the help as an error if a command with subcommands gets none.
  if (code === 'commander.help') return 1
  const output = createOutput({ json: words.includes('--json') }, readTerminal(process, env))
  const command = ['toolcrib', ...commandIn(words, code)].join(' ')
  // commander starts a message with its own label, and puts the suggestion on a second line.
  const reason = message.replace(/^error: /, '').replace(/\n\(/, ' (')
  const todo = code === 'commander.unknownOption' ? afterDashes(words) : undefined
  return failWith(
    output,
    errorOf('INVALID_ARGUMENTS', { reason: capitalize(reason).replace(/\.$/, ''), command, todo }),
  )
}

/**
 * The advice if `wrap` or `add` refuses an option of the server's command, because that command does not come after
 * `--`. Undefined for a wrong option before the command.
 */
function afterDashes([command = '', ...given]: readonly string[]): string | undefined {
  // `add` takes the name of the server first.
  const start = { wrap: 0, add: 1 }[command]
  if (start === undefined || given.includes('--')) return undefined
  if (given.slice(0, start + 1).some((word) => word.startsWith('-'))) return undefined
  const words = [command, ...given.slice(0, start), '--', ...given.slice(start)]
  return `Write the command of the server after --: \`toolcrib ${words.map(shellWord).join(' ')}\`.`
}

/** The command and subcommand on the command line, for the hint that points to their help. */
function commandIn([first = '', second = '']: readonly string[], code: string): readonly string[] {
  const hasSubcommands = WITH_SUBCOMMANDS.has(first)
  if (code === 'commander.unknownCommand') return hasSubcommands ? [first] : []
  if (first.startsWith('-')) return []
  return !hasSubcommands || second === '' || second.startsWith('-') ? [first] : [first, second]
}
