// toolcrib import: lists the servers of clients, and asks to approve project files. --write copies the user's servers.

import type { Command } from 'commander'
import type { Environment } from '../../../setup/environment.ts'
import { commandOf, run } from '../../output/work.ts'
import type { ImportFlags } from './import-clients.ts'

export function createCommand(environment: Environment): Command {
  return commandOf(
    'import',
    'Show the servers of your MCP clients, and approve the client files of this project. --write copies your servers into the config.',
    'import',
    'import --from cursor --write --yes',
  )
    .option('--from <client...>', 'only these clients')
    .option('--write', 'copy the servers of your own client files into the config, with secrets as references')
    .option('--dry-run', 'show what --write would change, and change nothing')
    .option('-y, --yes', 'do not ask: approve the files of the project, and with --write, write the config')
    .action((flags: ImportFlags) =>
      run(environment, flags, async (work) => (await import('./import-clients.ts')).importClients(work, flags)),
    )
}
