// Common parts of all commands: output, Ctrl-C handling and the exit code.

import { Command } from 'commander'
import { errorOf } from '../../core/errors.ts'
import type { CommandError } from '../../core/result.ts'
import type { Environment } from '../../setup/environment.ts'
import { errorOfThrown, exitCodeOf } from './error-for-people.ts'
import { createOutput, type Output, type OutputFlags } from './output.ts'
import { readTerminal } from './terminal.ts'

export interface CommonFlags extends OutputFlags {
  readonly config?: string
}

/** The flags of a command that shows a change, asks, and writes it. */
export interface ChangeFlags extends CommonFlags {
  readonly dryRun?: boolean
  readonly yes?: boolean
}

export interface Work {
  readonly environment: Environment
  readonly flags: CommonFlags
  readonly output: Output
  /** Aborts on Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal
}

/** The options with which the program builds a command. */
export interface BuildOptions {
  /**
   * Whether the command line names the command, to run it or to print its help or completion. Otherwise only its name
   * and description are used, for the list of commands.
   */
  readonly isNamed: boolean
  /** Builds the program with this command only, or with all commands if no command has this name. */
  readonly createProgram: (name: string) => Promise<Command>
}

/** Creates a command with the options that all commands have. Its help ends with working examples. */
export function commandOf(name: string, description: string, ...examples: readonly string[]): Command {
  const shown = examples.map((example) => `  $ toolcrib ${example}`).join('\n')
  return new Command(name)
    .description(description)
    .option('--json', 'print only JSON on stdout')
    .option('-q, --quiet', 'print only the answer itself')
    .option('-v, --verbose', 'print more details on stderr')
    .option('--config <file>', 'use only this config file')
    .addHelpText('after', `\nExample${examples.length === 1 ? '' : 's'}:\n${shown}`)
}

/** The exit code after Ctrl-C, as in a shell. */
export const INTERRUPTED = 130

/** Runs a command and sets the exit code of the process. */
export async function run(
  environment: Environment,
  flags: CommonFlags,
  action: (work: Work) => Promise<number>,
): Promise<void> {
  const { env, home } = environment
  const output = createOutput(flags, readTerminal(process, env), { home, config: flags.config })
  const interruption = new AbortController()
  const interrupt = () => {
    // A second Ctrl-C exits at once, without cleaning up.
    if (interruption.signal.aborted) process.exit(INTERRUPTED)
    interruption.abort(new Error('interrupted'))
  }
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
  try {
    const code = await action({ environment, flags, output, signal: interruption.signal })
    process.exitCode = interruption.signal.aborted ? INTERRUPTED : code
  } catch (thrown) {
    if (!interruption.signal.aborted) process.exitCode = failWith(output, errorOfThrown(thrown))
    else process.exitCode = reportInterruption(output)
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
}

/** A person who pressed Ctrl-C needs no message; a script that waits for JSON gets an error document. */
function reportInterruption(output: Output): number {
  if (output.isJson) failWith(output, errorOf('CANCELLED', { name: 'toolcrib' }))
  return INTERRUPTED
}

/** Prints an error on stderr, with --json also as a document on stdout, and returns its exit code. */
export function failWith(output: Output, error: CommandError): number {
  const { cause: _cause, message, suggestion, ...rest } = error
  const { keepConfig } = output
  const shown = {
    ...rest,
    message: keepConfig(message),
    ...(suggestion === undefined ? {} : { suggestion: keepConfig(suggestion) }),
  }
  if (output.isJson) output.show({ success: false, error: shown }, () => [])
  output.printError(endSentence(shown.message), shown.suggestion)
  return exitCodeOf(error)
}

/** Adds a full stop if the text has no end mark. */
export function endSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}
