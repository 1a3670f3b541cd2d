// Parses the command line, runs the command and sets the exit code.

import { CommanderError } from 'commander'
import { readEnvironment } from '../setup/environment.ts'
import { endOnBrokenPipe } from './output/broken-pipe.ts'
import { createProgram, withDefaultCommand } from './program.ts'

export async function runProgram(given: readonly string[]): Promise<void> {
  process.stdout.on('error', endOnBrokenPipe)
  const environment = readEnvironment()
  const words = withDefaultCommand(given, process.stdin.isTTY === true)
  try {
    const program = await createProgram(environment, words[0] === 'help' ? words[1] : words[0])
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    const { reportUsage } = await import('./output/usage-error.ts')
    process.exitCode = reportUsage(error, words, environment)
  }
}
