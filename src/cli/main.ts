#!/usr/bin/env node
// The command line. One file per command; this one only says which there are.

import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { errors, ToolcribError } from '../core/errors.ts'
import { exampleCommand } from './example.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
const program = new Command('toolcrib')
  .description('One MCP endpoint in front of any set of tools.')
  .version(version)
  .addCommand(exampleCommand())

try {
  await program.parseAsync()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = error instanceof ToolcribError ? errors[error.code].exit : 1
}
