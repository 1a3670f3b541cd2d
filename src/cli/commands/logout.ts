// toolcrib logout: removes the stored tokens of a server.

import type { Command } from 'commander'
import type { Environment } from '../../setup/environment.ts'
import type { LogoutFlags } from '../logins/log-in.ts'
import { commandOf, run } from '../output/work.ts'

export function createCommand(environment: Environment): Command {
  return commandOf('logout', 'Remove the login of a remote server.', 'logout github')
    .argument('<server>', 'the name of the server')
    .option('--principal <name>', 'remove the login of this person; only for a server with perPrincipal')
    .action((server: string, flags: LogoutFlags) =>
      run(environment, flags, async (work) => (await import('../logins/log-in.ts')).logOut(work, server, flags)),
    )
}
