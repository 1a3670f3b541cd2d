// toolcrib serve: serves the configured servers as one gateway, over stdio or HTTP.

import { Command, Option } from 'commander'
import type { Environment } from '../../../setup/environment.ts'
import { errorOfThrown } from '../../output/error-for-people.ts'
import { createOutput } from '../../output/output.ts'
import { readTerminal } from '../../output/terminal.ts'
import { type BuildOptions, failWith, run } from '../../output/work.ts'
import type { ServeFlags } from '../../serving/front-door.ts'

export async function createCommand(environment: Environment, { isNamed }: BuildOptions): Promise<Command> {
  // The strategies have their own flags. Loading all strategies takes a while, and the list of commands needs no flags.
  const strategies = isNamed ? await import('../../strategy/strategy-flags.ts') : undefined
  const command = new Command('serve')
    .description('Serve the gateway: over stdio for one client that starts it, or with --http for many clients.')
    .option('--http', 'listen on an address instead of stdin and stdout', false)
    .option('--host <name>', 'the address to listen on (default: 127.0.0.1)')
    .option('--port <number>', 'the port, 0 for any free one (default: 3100)')
    .option('--strategy <name>', `how tools are listed: ${strategies?.strategyNames.join(', ')} (default: gateway)`)
    .option('--config <file>', 'use only this config file')
    .option('--shared', 'join the one gateway that all clients of this user share, and start it if none runs')
    .addOption(new Option('--no-shared', 'serve this client alone').hideHelp())
    .option('--client <name>', 'the name of the client, for the audit log and for settings of each client')
    .addOption(new Option('--shared-key <key>').hideHelp())
    .option('--no-auth', 'require no token; only on loopback')
    .addOption(new Option('--demo', 'serve the bundled examples if no server is configured').default(false))
    .option('--explain', 'print which strategy would serve, why, and what each would cost, then exit', false)
    .option('--json', 'with --http or --explain: print one JSON document and nothing else')
    .option('-q, --quiet', 'with --http: print only the address')
    .option('-v, --verbose', 'print more details on stderr')
    .addHelpText('after', '\nExample:\n  $ toolcrib serve --http --port 3200')
    .action(async (flags: ServeFlags) => {
      if (flags.explain) {
        const { explainServe } = await import('./serve-explain.ts')
        return run(environment, flags, (work) => explainServe(work, flags))
      }
      try {
        const { serve } = await import('../../serving/serve-gateway.ts')
        await serve(environment, flags)
      } catch (thrown) {
        // Over stdio, errors go only to stderr, because stdout carries the protocol. With --json, which stdio refuses,
        // the error also goes to stdout.
        const error = errorOfThrown(thrown)
        const { env, home } = environment
        const output = createOutput(flags, readTerminal(process, env), { home, config: flags.config })
        process.exitCode = failWith(output, error)
        const { logFailedStart } = await import('../../gateway/gateway-log.ts')
        await logFailedStart(environment.stateDir, error.message)
      }
    })
  return strategies?.addStrategyFlags(command) ?? command
}
