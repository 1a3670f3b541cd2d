// toolcrib uninstall: removes the gateway from a client's config and restores the servers that it replaced.

import type { Command } from 'commander'
import { raise } from '../../../core/errors.ts'
import type { Environment } from '../../../setup/environment.ts'
import { withSetupOptions } from '../../config-changes/setup-commands.ts'
import { commandOf, run } from '../../output/work.ts'
import type { UninstallFlags } from './purge.ts'

export function createCommand(environment: Environment): Command {
  return withSetupOptions(
    commandOf(
      'uninstall',
      "Remove the gateway from a client's config and restore the servers that it replaced.",
      'uninstall cursor --dry-run',
      'uninstall --all --purge --dry-run',
    ),
  )
    .option('--all', 'all clients, and the projects in which the gateway was installed')
    .option('--purge', 'with --all: also remove the state, cache, logs, logins, config and secrets of Toolcrib')
    .action((client: string | undefined, flags: UninstallFlags) =>
      run(environment, flags, async (work) => {
        checkFlags(client, flags)
        if (flags.all === true) return (await import('./run-uninstall.ts')).uninstallAll(work, flags)
        return client === undefined
          ? (await import('../../config-changes/client-table.ts')).showClients(work, 'uninstall', flags)
          : (await import('./run-uninstall.ts')).uninstallClient(work, client, flags)
      }),
    )
}

function checkFlags(client: string | undefined, { all = false, purge = false }: UninstallFlags): void {
  const reason =
    purge && !all
      ? '--purge removes everything, so it needs --all'
      : all && client !== undefined
        ? `--all means every client; leave '${client}' out`
        : undefined
  if (reason !== undefined) raise('INVALID_ARGUMENTS', { reason, command: 'toolcrib uninstall' })
}
