// toolcrib install: the gateway in a client's config, in place of the servers that it fronts from now on.

import type { Command } from 'commander'
import type { Environment } from './environment.ts'
import type { InstallFlags } from './setup/flags.ts'
import { commandOf, run } from './work.ts'

export function installCommand(environment: Environment): Command {
  return withOptions(
    commandOf(
      'install',
      "Put the gateway into a client's config, in place of the servers that it fronts.",
      'install cursor --dry-run',
      'install claude-code --project --dry-run',
    ),
  )
    .option('--command <line>', 'the command line that starts the gateway (left out: one that starts this program)')
    .action((client: string | undefined, flags: InstallFlags) =>
      run(environment, flags, async (work) =>
        client === undefined
          ? (await import('./setup/client-table.ts')).showClients(work, 'install', flags)
          : (await import('./setup/install-client.ts')).installClient(work, client, flags),
      ),
    )
}

export function withOptions(command: Command): Command {
  return command
    .usage('[options] [client]')
    .argument('[client]', 'the name of a client, such as claude-desktop, cursor or vscode; left out: lists them')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('-y, --yes', 'do not ask')
    .option('--project', "the project's file instead of the user's")
}
