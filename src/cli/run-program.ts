// Parses the command line, runs the command and sets the exit code.

import { type Command, CommanderError } from 'commander'
import { errorOf } from '../core/errors.ts'
import { outliveStderr } from '../front/process-stdio.ts'
import { type Environment, readEnvironment } from '../setup/environment.ts'
import { createOutput, endOnBrokenPipe } from './output/output.ts'
import { readTerminal } from './output/terminal.ts'
import { capitalize } from './output/text.ts'
import { failWith } from './output/work.ts'
import { createProgram, withDefaultCommand } from './program.ts'
import { separatorAdvice } from './words/options.ts'

export async function runProgram(given: readonly string[]): Promise<void> {
  process.stdout.on('error', endOnBrokenPipe)
  outliveStderr()
  const environment = readEnvironment()
  const words = withDefaultCommand(given, process.stdin.isTTY === true)
  const program = await createProgram(environment, words[0] === 'help' ? words[1] : words[0])
  try {
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    // `withDefaultCommand` has added a command that the user did not type.
    const isTyped = words.length === given.length
    process.exitCode = reportUsage(error, { words, isTyped }, program, environment)
  }
}

/** Prints commander's error in our format. commander also reports --help and --version this way, with exit code 0. */
function reportUsage(
  { code, exitCode, message }: CommanderError,
  { words, isTyped }: { readonly words: readonly string[]; readonly isTyped: boolean },
  program: Command,
  { env }: Pick<Environment, 'env'>,
): number {
  if (exitCode === 0) return 0
  // commander shows the help as an error if a command with subcommands gets none.
  if (code === 'commander.help') return 1
  const output = createOutput({ json: words.includes('--json') }, readTerminal(process, env))
  const command = ['toolcrib', ...(isTyped ? commandIn(words, code, program) : [])].join(' ')
  // commander starts a message with its own label, and puts the suggestion on a second line. The value in
  // `--name=value` is left out, because it can be a secret.
  const reason = message
    .replace(/^error: /, '')
    .replace(/^(unknown option '--[^=']+)=[\s\S]*'/, "$1'")
    .replace(/\n\(/, ' (')
  const isMistyped = message.includes('(Did you mean ')
  const isOfServer = code === 'commander.unknownOption' && !isMistyped && !words.includes('--')
  const isVersion = code === 'commander.unknownCommand' && words[0] === 'version'
  const todo = isVersion
    ? 'Run `toolcrib --version` to see the version.'
    : isOfServer
      ? adviceFor(program.commands.find((one) => one.name() === words[0]))
      : undefined
  return failWith(
    output,
    errorOf('INVALID_ARGUMENTS', { reason: capitalize(reason).replace(/\.$/, ''), command, todo }),
  )
}

/**
 * The advice if `wrap` or `add` refuses an option of the server's command. Undefined if the refused option comes before
 * that command, or after an address.
 */
function adviceFor(command: Command | undefined): string | undefined {
  if (command === undefined) return undefined
  const name = command.name()
  // `add` takes the name of the server first.
  const start = { wrap: 0, add: 1 }[name]
  if (start === undefined) return undefined
  // commander leaves out the options that it knows. The first other option is the refused one.
  const words = command.args.slice(0, start + 1)
  const program = words[start]
  if (program === undefined || /^https?:/i.test(program) || words.some((word) => word.startsWith('-'))) return undefined
  return separatorAdvice([name, ...words.slice(0, start)], program)
}

/** The command and subcommand on the command line, for the hint that points to their help. */
function commandIn([first = '', second = '']: readonly string[], code: string, program: Command): readonly string[] {
  const hasSubcommands = program.commands.some((command) => command.name() === first && command.commands.length > 0)
  if (code === 'commander.unknownCommand') return hasSubcommands ? [first] : []
  if (first.startsWith('-')) return []
  return !hasSubcommands || second === '' || second.startsWith('-') ? [first] : [first, second]
}
