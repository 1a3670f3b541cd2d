// toolcrib logout: removes the stored tokens of a server.

import type { Command } from 'commander'
import type { Environment } from '../../../setup/environment.ts'
import { type CommonFlags, commandOf, run } from '../../output/work.ts'

export function logoutCommand(environment: Environment): Command {
  return commandOf('logout', 'Remove the login of a remote server.', 'logout github')
    .argument('<server>', 'the name of the server')
    .action((server: string, flags: CommonFlags) =>
      run(environment, flags, async (work) => (await import('./log-out.ts')).logOut(work, server)),
    )
}
