// toolcrib login: logs in to a server over HTTP with a browser, and stores the tokens.

import type { Command } from 'commander'
import type { Environment } from '../../setup/environment.ts'
import type { LoginFlags } from '../logins/log-in.ts'
import { commandOf, run } from '../output/work.ts'

export function createCommand(environment: Environment): Command {
  return commandOf('login', 'Log in to a remote server with a browser.', 'login github')
    .argument('<server>', 'the name of the server')
    .option('--principal <name>', 'log in for this person; only for a server with perPrincipal')
    .option(
      '--no-browser',
      'open no browser: open the printed address yourself, and paste the address that the browser ends at',
    )
    .action((server: string, flags: LoginFlags) =>
      run(environment, flags, async (work) => (await import('../logins/log-in.ts')).logIn(work, server, flags)),
    )
}
