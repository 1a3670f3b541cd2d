// toolcrib logs: prints what servers wrote to stderr, and what the gateways reported.

import type { Command } from 'commander'
import type { Environment } from '../../../setup/environment.ts'
import { commandOf, run } from '../../output/work.ts'
import type { LogsFlags } from './show-logs.ts'

export function createCommand(environment: Environment): Command {
  return commandOf(
    'logs',
    'Show what servers write to stderr, and what the gateways of this user report.',
    'logs files --lines 20',
  )
    .argument('[server]', "only the lines of this server, or of 'gateway'")
    .option('-f, --follow', 'print new lines until Ctrl-C')
    .option('-n, --lines <number>', 'how many of the newest lines to print (default: 100)')
    .action((server: string | undefined, flags: LogsFlags) =>
      run(environment, flags, async (work) => (await import('./show-logs.ts')).showLogs(work, server, flags)),
    )
}
