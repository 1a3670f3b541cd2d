// toolcrib uninstall: removes the gateway from a client's config and restores the servers that it replaced.

import type { Command } from 'commander'
import type { Environment } from './environment.ts'
import { withOptions } from './install.ts'
import type { InstallFlags } from './setup/flags.ts'
import { commandOf, run } from './work.ts'

export function uninstallCommand(environment: Environment): Command {
  return withOptions(
    commandOf(
      'uninstall',
      "Remove the gateway from a client's config and restore the servers that it replaced.",
      'uninstall cursor --dry-run',
    ),
  ).action((client: string | undefined, flags: InstallFlags) =>
    run(environment, flags, async (work) =>
      client === undefined
        ? (await import('./setup/client-table.ts')).showClients(work, 'uninstall', flags)
        : (await import('./setup/uninstall-client.ts')).uninstallClient(work, client, flags),
    ),
  )
}
