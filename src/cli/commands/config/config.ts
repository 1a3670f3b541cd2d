// toolcrib config: creates, shows, checks and reloads the configuration, and lists its files.

import { Command } from 'commander'
import type { Environment } from '../../../setup/environment.ts'
import { type CommonFlags, commandOf, run, type Work } from '../../output/work.ts'
import type { InitFlags } from './init.ts'

export function createCommand(environment: Environment): Command {
  /** A subcommand with only the options that all commands have. */
  const withoutFlags = (name: string, description: string, action: (work: Work) => Promise<number>) =>
    commandOf(name, description, `config ${name}`).action((flags: CommonFlags) => run(environment, flags, action))
  return new Command('config')
    .description('Create, show, check or reload the configuration.')
    .addHelpText('after', '\nExample:\n  $ toolcrib config show')
    .addCommand(
      commandOf(
        'init',
        'Write a config with comments to start from. An existing config is never changed.',
        'config init --project --dry-run',
      )
        .option('--project', 'for the current folder instead of the user')
        .option('--ts', 'TypeScript instead of JSON with comments')
        .option('--dry-run', 'print the config, and write nothing')
        .option('-y, --yes', 'do not ask for confirmation')
        .action((flags: InitFlags) =>
          run(environment, flags, async (work) => (await import('./init.ts')).initConfig(work, flags)),
        ),
    )
    .addCommand(
      withoutFlags('show', 'Show the configuration in force.', async (work) =>
        (await import('./show.ts')).showConfig(work),
      ),
    )
    .addCommand(
      withoutFlags('validate', 'Check the configuration, and check its rules against the known tools.', async (work) =>
        (await import('./validate.ts')).validateConfig(work),
      ),
    )
    .addCommand(
      withoutFlags('sources', 'List the files that servers are read from.', async (work) =>
        (await import('./sources.ts')).listSources(work),
      ),
    )
    .addCommand(
      withoutFlags('reload', 'Make every running gateway of this user read its configuration again.', async (work) =>
        (await import('./reload.ts')).reloadGateways(work),
      ),
    )
}
