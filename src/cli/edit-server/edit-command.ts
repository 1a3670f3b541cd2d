// Creates the commands `remove`, `enable` and `disable`, which take the same arguments.

import type { Command } from 'commander'
import type { Environment } from '../../setup/environment.ts'
import type { ServerEdit } from '../../setup/files/write-config.ts'
import { commandOf, run } from '../output/work.ts'
import type { EditFlags } from './edit-one.ts'

export function createEditCommand(
  environment: Environment,
  edit: ServerEdit,
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
