// toolcrib pins: lists, compares and approves tools that have changed since they were pinned.

import { Command } from 'commander'
import type { Environment } from '../../../setup/environment.ts'
import { type CommonFlags, commandOf, run } from '../../output/work.ts'

const SERVER = 'the name of the server, or server:tool'
const TOOL = 'the name of the tool; without it, all tools of the server'

export function createCommand(environment: Environment): Command {
  return new Command('pins')
    .description('List, compare or approve tools that have changed since they were pinned.')
    .addHelpText('after', '\nExample:\n  $ toolcrib pins list')
    .addCommand(
      commandOf(
        'list',
        'Show how many tools of each server are pinned, and list those that have changed.',
        'pins list',
      ).action((flags: CommonFlags) =>
        run(environment, flags, async (work) => (await import('./run-pins.ts')).listPins(work)),
      ),
    )
    .addCommand(
      commandOf(
        'diff',
        'Show how tools differ from their approved form.',
        'pins diff files',
        'pins diff files:read_file',
      )
        .argument('[server]', SERVER)
        .argument('[tool]', TOOL)
        .action((server: string | undefined, tool: string | undefined, flags: CommonFlags) =>
          run(environment, flags, async (work) =>
            (await import('./run-pins.ts')).diffPins(work, oneWord(server, tool)),
          ),
        ),
    )
    .addCommand(
      commandOf(
        'approve',
        'Approve the present form of a tool, or of all tools of a server.',
        'pins approve files',
        'pins approve files:read_file',
      )
        .argument('<server>', SERVER)
        .argument('[tool]', TOOL)
        .option('--form <code>', 'approve only the text that `pins diff` showed with this code')
        .action((server: string, tool: string | undefined, flags: CommonFlags & { readonly form?: string }) =>
          run(environment, flags, async (work) =>
            (await import('./run-pins.ts')).approvePins(work, oneWord(server, tool) ?? server, flags.form),
          ),
        ),
    )
}

/** `files read_file` is the same as `files:read_file`. */
function oneWord(server: string | undefined, tool: string | undefined): string | undefined {
  return tool === undefined ? server : `${server}:${tool}`
}
