// Common parts of all commands: output, Ctrl-C handling and the exit code.

import { Command } from 'commander'
import { errorOf } from '../core/errors.ts'
import type { CommandError } from '../core/result.ts'
import type { Environment } from './environment.ts'
import { errorOfThrown, exitCodeOf, forPeople } from './error-for-people.ts'
import { createOutput, type Output, type OutputFlags } from './output/output.ts'
import { readTerminal } from './output/terminal.ts'

export interface CommonFlags extends OutputFlags {
  readonly config?: string
}

export interface Work {
  readonly environment: Environment
  readonly flags: CommonFlags
  readonly output: Output
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal
}

/** A command with the options that all commands have. Every help text ends with a working example. */
export function commandOf(name: string, description: string, ...examples: readonly string[]): Command {
  const shown = examples.map((example) => `  $ toolcrib ${example}`).join('\n')
  return new Command(name)
    .description(description)
    .option('--json', 'print one JSON document and nothing else')
    .option('-q, --quiet', 'print only the answer itself')
    .option('-v, --verbose', 'print more details on stderr')
    .option('--config <file>', 'use only this config file')
    .addHelpText('after', `\nExample${examples.length === 1 ? '' : 's'}:\n${shown}`)
}

const INTERRUPTED = 130

/** Runs a command and sets the exit code of the process. */
export async function run(
  environment: Environment,
  flags: CommonFlags,
  work: (work: Work) => Promise<number>,
): Promise<void> {
  const output = createOutput(flags, readTerminal(process, environment.env))
  const interruption = new AbortController()
  const interrupt = () => {
    // A second Ctrl-C exits at once, without cleaning up.
    if (interruption.signal.aborted) process.exit(INTERRUPTED)
    interruption.abort(new Error('interrupted'))
  }
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
  try {
    const code = await work({ environment, flags, output, signal: interruption.signal })
    process.exitCode = interruption.signal.aborted ? INTERRUPTED : code
  } catch (thrown) {
    if (!interruption.signal.aborted) process.exitCode = failWith(output, errorOfThrown(thrown))
    else process.exitCode = interrupted(output)
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
}

/** A person who pressed Ctrl-C needs no message; a script that waits for JSON gets an error document. */
function interrupted(output: Output): number {
  if (output.isJson) failWith(output, errorOf('CANCELLED', { name: 'toolcrib' }))
  return INTERRUPTED
}

/** Prints an error, as JSON or for a person, and returns its exit code. */
export function failWith(output: Output, error: CommandError): number {
  const shown = forPeople(error)
  if (output.isJson) output.show({ success: false, error: shown }, () => [])
  output.printError(endSentence(shown.message), shown.suggestion)
  return exitCodeOf(error)
}

/** `loginCommand`: the command with which the user logs in, if that is what the server needs. */
export function unavailable(server: string, reason: string, loginCommand?: string): CommandError {
  if (loginCommand !== undefined) {
    return { ...errorOf('AUTH_REQUIRED', { server, reason, command: loginCommand }, { command: loginCommand }), server }
  }
  return { ...errorOf('SERVER_UNAVAILABLE', { server, reason, retryAfterMs: 0 }), server }
}

export function endSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}
