// toolcrib uninstall: removes the gateway from a client's config and restores the servers that it replaced.

import type { Command } from 'commander'
import type { Environment } from '../../../setup/environment.ts'
import type { InstallFlags } from '../../output/setup-flags.ts'
import { commandOf, run } from '../../output/work.ts'
import { withOptions } from '../install/install.ts'

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
        ? (await import('../../output/client-table.ts')).showClients(work, 'uninstall', flags)
        : (await import('./uninstall-client.ts')).uninstallClient(work, client, flags),
    ),
  )
}
