// toolcrib install: puts the gateway into a client's config, in place of the servers that the gateway then serves.

import type { Command } from 'commander'
import type { Environment } from '../../../setup/environment.ts'
import { type InstallFlags, withSetupOptions } from '../../config-changes/setup-commands.ts'
import { commandOf, run } from '../../output/work.ts'

export function createCommand(environment: Environment): Command {
  return withSetupOptions(
    commandOf(
      'install',
      "Replace the servers in a client's config with the gateway, which then serves them.",
      'install cursor --dry-run',
      'install claude-code --project --dry-run',
    ),
  )
    .option('--command <line>', 'the command line that starts the gateway (default: this program)')
    .option('--with-others', 'give the client the servers of your other clients too')
    .option('--shared', 'let the client share one gateway with your other clients; includes --with-others')
    .action((client: string | undefined, flags: InstallFlags) =>
      run(environment, flags, async (work) =>
        client === undefined
          ? (await import('../../config-changes/client-table.ts')).showClients(work, 'install', flags)
          : (await import('./install-client.ts')).installClient(work, client, flags),
      ),
    )
}
