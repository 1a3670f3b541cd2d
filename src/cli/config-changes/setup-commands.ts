// Flags and options of the commands that change config files, and the commands that change one server.

import type { Command } from 'commander'
import type { Environment } from '../../setup/environment.ts'
import type { ServerEdit } from '../../setup/files/write-config.ts'
import { type ChangeFlags, commandOf, run } from '../output/work.ts'

export interface InstallFlags extends ChangeFlags {
  readonly project?: boolean
  /** The command line that starts the gateway. */
  readonly command?: string
  /** Gives the client the servers of other clients too. */
  readonly withOthers?: boolean
  /** Lets the client join the gateway that all clients share. */
  readonly shared?: boolean
}

/** Adds the argument and the options that `install` and `uninstall` share. */
export function withSetupOptions(command: Command): Command {
  return withChangeOptions(command)
    .usage('[options] [client]')
    .argument(
      '[client]',
      'the name of a client, such as claude-desktop, cursor or vscode; without it, clients are listed',
    )
    .option('--project', "change the project's file instead of the user's")
}

/** Creates the command `remove`, `enable` or `disable`. */
export function createEditCommand(
  environment: Environment,
  edit: ServerEdit,
  description: string,
  example: string,
): Command {
  return withChangeOptions(commandOf(edit, description, example))
    .argument('<server>', 'the name of the server')
    .action((server: string, flags: ChangeFlags) =>
      run(environment, flags, async (work) => (await import('./edit-server.ts')).editServer(work, server, edit, flags)),
    )
}

function withChangeOptions(command: Command): Command {
  return command
    .option('--dry-run', 'show what would change, and change nothing')
    .option('-y, --yes', 'do not ask for confirmation')
}
