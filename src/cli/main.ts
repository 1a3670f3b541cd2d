#!/usr/bin/env node
// The command line: reads what it was told, runs that, and leaves the exit code behind.

import { CommanderError } from 'commander'
import { readEnvironment } from './environment.ts'
import { createProgram, withDefaultCommand } from './program.ts'

// Whoever reads our output may stop reading; that is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 3))

const environment = readEnvironment()
const words = withDefaultCommand(process.argv.slice(2), process.stdin.isTTY === true)
try {
  const program = await createProgram(environment, words[0])
  await program.parseAsync(words, { from: 'user' })
} catch (error) {
  if (!(error instanceof CommanderError)) throw error
  const { reportUsage } = await import('./usage-error.ts')
  process.exitCode = reportUsage(error, words, environment)
}
