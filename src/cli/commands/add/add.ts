// toolcrib add: starts one server to check it, and writes it into the config.

import type { Command } from 'commander'
import { REMOTE_TYPES } from '../../../config/connection-kinds.ts'
import type { Environment } from '../../../setup/environment.ts'
import { commandOf, run } from '../../output/work.ts'
import { collect } from '../../words/options.ts'
import type { AddFlags } from './add-server.ts'

export function createCommand(environment: Environment): Command {
  return commandOf(
    'add',
    'Start a server once to check it, and add it to the config: a command after --, or an address.',
    'add memory --dry-run -- npx -y @modelcontextprotocol/server-memory',
    "add linear https://mcp.linear.app/mcp --header 'X-Team: tools' --dry-run",
  )
    .usage('[options] NAME URL   or   NAME [options] -- COMMAND [ARGS...]')
    .argument('<name>', 'the name of the server in the config')
    .argument('[target...]', 'its address, or after -- the command that starts it')
    .option('--env <assignment>', 'a variable for the command, such as NAME=value; may be repeated', collect, [])
    .option('--header <line>', "a header for every request, such as 'Name: value'; may be repeated", collect, [])
    .option(
      '--type <type>',
      `the transport of an address: ${REMOTE_TYPES.join(' or ')} (default: sse for an address with the path /sse, else http)`,
    )
    .option('--cwd <folder>', 'the folder that the command starts in')
    .option('--project', "add it to the config of the current folder instead of the user's")
    .option('--no-check', 'add the server without starting it')
    .option('--dry-run', 'show what would change; start and change nothing')
    .option('-y, --yes', 'do not ask for confirmation')
    .action((name: string, words: readonly string[], flags: AddFlags, command: Command) =>
      run(environment, flags, async (work) => {
        const { addServer, serverFromWords } = await import('./add-server.ts')
        const server = serverFromWords(name, words, flags, { environment, isCommand: hasSeparator(command) })
        return addServer(work, server, flags)
      }),
    )
}

/** Whether the command line has `--`. Without `--`, commander would read the `-y` of `npx -y server` as our option. */
function hasSeparator({ parent }: Command): boolean {
  // commander sets `rawArgs` of the program that parses, but does not declare it.
  const rawArgs: unknown = parent === null ? [] : Reflect.get(parent, 'rawArgs')
  return Array.isArray(rawArgs) && rawArgs.includes('--')
}
