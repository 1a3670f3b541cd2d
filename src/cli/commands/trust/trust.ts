// toolcrib trust: shows what the config files of a folder would run, and asks the user to approve them.

import type { Command } from 'commander'
import type { Environment } from '../../../setup/environment.ts'
import { commandOf, run } from '../../output/work.ts'
import type { TrustFlags } from './approvals.ts'

export function createCommand(environment: Environment): Command {
  return commandOf(
    'trust',
    'Show what the config files of a folder would run, and approve them.',
    'trust',
    'trust --list',
  )
    .argument('[path]', 'the folder or one of its files (default: the current folder)')
    .option('--list', 'list the approved files, and whether they have changed since')
    .option('--revoke', 'revoke the approval of the file, or of all files in the folder')
    .option('-y, --yes', 'approve without asking')
    .action((path: string | undefined, flags: TrustFlags) =>
      run(environment, flags, async (work) => {
        const { approve, listApproved, revoke } = await import('./approvals.ts')
        if (flags.list === true) return listApproved(work)
        return flags.revoke === true ? revoke(work, path) : approve(work, path, flags)
      }),
    )
}
