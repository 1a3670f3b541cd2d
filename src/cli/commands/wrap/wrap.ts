// toolcrib wrap: serves one existing MCP server with any strategy, over stdio or HTTP.

import { Command } from 'commander'
import { NAMED_KINDS } from '../../../config/connection-kinds.ts'
import type { Environment } from '../../../setup/environment.ts'
import { errorOfThrown } from '../../output/error-for-people.ts'
import { createOutput } from '../../output/output.ts'
import { readTerminal } from '../../output/terminal.ts'
import { type BuildOptions, failWith } from '../../output/work.ts'
import { collect } from '../../words/options.ts'
import type { WrapFlags } from './run-wrap.ts'

export async function createCommand(environment: Environment, { isNamed }: BuildOptions): Promise<Command> {
  // The strategies have their own flags. Loading all strategies takes a while, and the list of commands needs no flags.
  const strategies = isNamed ? await import('../../strategy/strategy-flags.ts') : undefined
  const command = new Command('wrap')
    .description('Serve one existing MCP server with another strategy. Everything else passes through unchanged.')
    .usage('[options] -- COMMAND [ARGS...]   or   --url URL')
    .argument('[command...]', 'the command that starts the server, after --')
    .option('--strategy <name>', `how its tools are listed: ${strategies?.strategyNames.join(', ')} (default: auto)`)
    .option('--hide <patterns>', 'tools to hide from every client: names or patterns, separated by commas')
    .option('--max-result-tokens <number>', 'cut longer results; a listed tool reads the rest (default: never cut)')
    .option('--url <url>', 'the address of a server that is already running')
  for (const [type, { flagText }] of NAMED_KINDS)
    if (flagText !== undefined) command.option(`--${type}`, flagText, false)
  command
    .option(
      '--header <line>',
      "a header for every request to the server, such as 'Name: value'; may be repeated",
      collect,
      [],
    )
    .option('--http', 'listen on an address instead of stdin and stdout', false)
    .option('--host <name>', 'the address to listen on (default: localhost)')
    .option('--port <number>', 'the port, 0 for any free one (default: 3100)')
    .option('--no-auth', 'require no token; only on loopback')
    .option('--json', 'with --http: print the address as one JSON document and nothing else')
    .option('-q, --quiet', 'with --http: print only the address')
    .option('-v, --verbose', 'print more details on stderr')
    .addHelpText(
      'after',
      '\nExample:\n  $ toolcrib wrap --http --port 3200 -- npx -y @modelcontextprotocol/server-everything',
    )
    .action(async (command: readonly string[], flags: WrapFlags) => {
      try {
        const { wrap } = await import('./run-wrap.ts')
        await wrap(environment, command, flags)
      } catch (thrown) {
        // Over stdio, errors go only to stderr, because stdout carries the protocol. With --json, the error also goes
        // to stdout, which then carries no protocol: `wrap` refuses --json without --http.
        const error = errorOfThrown(thrown)
        const { env, home } = environment
        process.exitCode = failWith(createOutput(flags, readTerminal(process, env), { home }), error)
        // A wrong argument is not logged, because its value can be a secret.
        if (error.code === 'INVALID_ARGUMENTS') return
        const { logFailedStart } = await import('../../gateway/gateway-log.ts')
        await logFailedStart(environment.stateDir, error.message)
      }
    })
  return strategies?.addStrategyFlags(command) ?? command
}
