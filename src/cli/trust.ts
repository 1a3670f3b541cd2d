// toolcrib trust: approves the files of a folder that start servers or run code, after showing what they would do.

import type { Command } from 'commander'
import type { Environment } from './environment.ts'
import type { TrustFlags } from './setup/flags.ts'
import { commandOf, run } from './work.ts'

export function trustCommand(environment: Environment): Command {
  return commandOf(
    'trust',
    'Approve the config files that a folder brings along, after showing what they would run.',
    'trust',
    'trust --list',
  )
    .argument('[path]', 'the folder, or one of its files (the current folder)')
    .option('--list', 'list what is approved, and whether it is still as it was')
    .option('--revoke', 'end the approval of the file, or of all files in the folder')
    .option('-y, --yes', 'approve without asking')
    .action((path: string | undefined, flags: TrustFlags) =>
      run(environment, flags, async (work) => {
        if (flags.list === true) return (await import('./trust/approved.ts')).listApproved(work)
        if (flags.revoke === true) return (await import('./trust/approved.ts')).revoke(work, path)
        return (await import('./trust/approve.ts')).approve(work, path, flags)
      }),
    )
}
