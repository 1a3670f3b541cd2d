// toolcrib token: makes, lists and revokes the tokens with which people connect to a gateway over HTTP.

import { Command } from 'commander'
import type { Environment } from '../../../setup/environment.ts'
import { type CommonFlags, commandOf, run } from '../../output/work.ts'
import type { AddTokenFlags } from './run-token.ts'

export function createCommand(environment: Environment): Command {
  return new Command('token')
    .description('Make, list or revoke the tokens of people who connect over HTTP.')
    .addHelpText('after', '\nExample:\n  $ toolcrib token list')
    .addCommand(
      commandOf(
        'add',
        'Make a token and print it once. The gateway stores only its hash.',
        'token add alice --servers files,github --read-only --expires 90d',
      )
        .argument('<name>', 'the name of the person or program, as the audit log shows it')
        .option('--servers <names>', 'only these servers, separated by commas')
        .option('--tools <patterns...>', 'only tools that match one of these patterns, as in rules')
        .option('--read-only', 'only tools that state that they change nothing')
        .option('--expires <time>', 'after a time such as 12h, 90d or 1y, or on a date such as 2027-01-31')
        .action((name: string, flags: AddTokenFlags) =>
          run(environment, flags, async (work) => (await import('./run-token.ts')).addToken(work, name, flags)),
        ),
    )
    .addCommand(
      commandOf(
        'list',
        'List the tokens with their rights. The tokens themselves are not stored.',
        'token list',
      ).action((flags: CommonFlags) =>
        run(environment, flags, async (work) => (await import('./run-token.ts')).listTokens(work)),
      ),
    )
    .addCommand(
      commandOf('revoke', 'Revoke a token. Running gateways close its connections.', 'token revoke alice')
        .argument('<token>', 'the name of the token')
        .action((name: string, flags: CommonFlags) =>
          run(environment, flags, async (work) => (await import('./run-token.ts')).revokeToken(work, name)),
        ),
    )
}
