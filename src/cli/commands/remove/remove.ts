// toolcrib remove: removes one server from the config.

import type { Command } from 'commander'
import type { Environment } from '../../../setup/environment.ts'
import { commandOf, run } from '../../output/work.ts'
import type { EditFlags } from './edit-one.ts'

export function removeCommand(environment: Environment): Command {
  return editCommand(environment, 'remove', 'Remove a server from the config.', 'remove files --dry-run')
}

/** Creates the command `remove`, `enable` or `disable`, which take the same arguments. */
export function editCommand(
  environment: Environment,
  edit: 'remove' | 'enable' | 'disable',
  description: string,
  example: string,
): Command {
  return commandOf(edit, description, example)
    .argument('<server>', 'the name of the server')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('-y, --yes', 'do not ask for confirmation')
    .action((server: string, flags: EditFlags) =>
      run(environment, flags, async (work) => (await import('./edit-one.ts')).editOne(work, server, edit, flags)),
    )
}
