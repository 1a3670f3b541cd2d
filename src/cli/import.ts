// toolcrib import: what the clients on this machine have, and taking it over into our own config.

import type { Command } from 'commander'
import type { Environment } from './environment.ts'
import type { ImportFlags } from './setup/flags.ts'
import { commandOf, run } from './work.ts'

export function importCommand(environment: Environment): Command {
  return commandOf(
    'import',
    'Show the servers that the clients on this machine have, approve those of a project, and take them over.',
    'import',
    'import --from cursor --write --yes',
  )
    .option('--from <client...>', 'only these clients')
    .option('--write', 'write what was found into the config, with secrets as references')
    .option('--dry-run', 'show what --write would change, and change nothing')
    .option('-y, --yes', 'do not ask')
    .action((flags: ImportFlags) =>
      run(environment, flags, async (work) => (await import('./setup/import-clients.ts')).importClients(work, flags)),
    )
}
