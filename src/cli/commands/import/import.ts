// toolcrib import: lists the servers of the MCP clients on this machine. --write copies them into Toolcrib's config.

import type { Command } from 'commander'
import type { Environment } from '../../../setup/environment.ts'
import type { ImportFlags } from '../../output/setup-flags.ts'
import { commandOf, run } from '../../output/work.ts'

export function importCommand(environment: Environment): Command {
  return commandOf(
    'import',
    'Show the servers of the MCP clients on this machine, approve those of a project, and copy them into the config.',
    'import',
    'import --from cursor --write --yes',
  )
    .option('--from <client...>', 'only these clients')
    .option('--write', 'write the servers into the config, with secrets as references')
    .option('--dry-run', 'show what --write would change, and change nothing')
    .option('-y, --yes', 'do not ask for confirmation')
    .action((flags: ImportFlags) =>
      run(environment, flags, async (work) => (await import('./import-clients.ts')).importClients(work, flags)),
    )
}
