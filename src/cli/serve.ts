// toolcrib serve: the gateway over the configured servers, on stdio or HTTP.

import { Command, Option } from 'commander'
import type { Environment } from './environment.ts'
import { errorOfThrown } from './error-for-people.ts'
import { createOutput } from './output/output.ts'
import { readTerminal } from './output/terminal.ts'
import type { ServeFlags } from './serve-flags.ts'
import { addStrategyFlags } from './strategy-flags.ts'
import { failWith, run } from './work.ts'

export function serveCommand(environment: Environment): Command {
  const command = new Command('serve')
    .description('Serve the gateway: over stdio, for a client that starts it, or with --http for many.')
    .option('--http', 'listen on an address instead of stdin and stdout', false)
    .option('--host <name>', 'the address to listen on (127.0.0.1)')
    .option('--port <number>', 'the port, 0 for any free one (3100)')
    .option('--strategy <name>', 'how tools are shown (gateway)')
    .option('--config <file>', 'this config file and no other')
    .option('--no-auth', 'no token; only on loopback')
    .addOption(new Option('--demo', 'serve the bundled examples where no server is configured').default(false))
    .option('--explain', 'say which strategy would serve, why, and what each would cost, and end', false)
    .option('--json', 'with --http or --explain: print one JSON document and nothing else')
    .option('-q, --quiet', 'with --http: print only the address')
    .option('-v, --verbose', 'say more on stderr')
    .addHelpText('after', '\nExample:\n  $ toolcrib serve --http --port 3200')
    .action(async (flags: ServeFlags) => {
      if (flags.explain) {
        const { explainServe } = await import('./serve-explain.ts')
        return run(environment, flags, (work) => explainServe(work, flags))
      }
      try {
        const { serve } = await import('./serve-gateway.ts')
        await serve(environment, flags)
      } catch (thrown) {
        // stdout may belong to the protocol; who asks for JSON is no client.
        process.exitCode = failWith(createOutput(flags, readTerminal(process, environment.env)), errorOfThrown(thrown))
      }
    })
  return addStrategyFlags(command)
}
