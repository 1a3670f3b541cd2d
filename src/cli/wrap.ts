// toolcrib wrap: one existing MCP server under any strategy, on stdio or HTTP.

import { Command } from 'commander'
import type { Environment } from './environment.ts'
import { errorOfThrown } from './error-for-people.ts'
import { createOutput } from './output/output.ts'
import { readTerminal } from './output/terminal.ts'
import { addStrategyFlags } from './strategy-flags.ts'
import { failWith } from './work.ts'
import type { WrapFlags } from './wrap/flags.ts'

export function wrapCommand(environment: Environment): Command {
  const command = new Command('wrap')
    .description('Serve one existing MCP server under another strategy; everything else about it stays as it is.')
    .usage('[options] -- COMMAND [ARGS...]   or   --url URL')
    .argument('[command...]', 'how the server is started, after --')
    .option('--strategy <name>', 'how its tools are shown (auto)')
    .option('--hide <patterns>', 'tools that are not there for any client: names or patterns with commas between')
    .option('--max-result-tokens <number>', 'cut longer results where a listed tool reads on (never)')
    .option('--url <url>', 'the address of a server that runs already')
    .option('--sse', 'it speaks the older transport of servers with an address', false)
    .option('--header <line>', "sent to it with every request, like 'Name: value'; may be repeated", collect, [])
    .option('--http', 'listen on an address instead of stdin and stdout', false)
    .option('--host <name>', 'the address to listen on (localhost)')
    .option('--port <number>', 'the port, 0 for any free one (3100)')
    .option('--no-auth', 'no token; only on loopback')
    .option('--json', 'with --http: print the address as one JSON document and nothing else')
    .option('-q, --quiet', 'with --http: print only the address')
    .option('-v, --verbose', 'say more on stderr')
    .addHelpText(
      'after',
      '\nExample:\n  $ toolcrib wrap --http --port 3200 -- npx -y @modelcontextprotocol/server-everything',
    )
    .action(async (command: readonly string[], flags: WrapFlags) => {
      try {
        const { wrap } = await import('./wrap/run.ts')
        await wrap(environment, command, flags)
      } catch (thrown) {
        // stdout may belong to the protocol.
        process.exitCode = failWith(createOutput(flags, readTerminal(process, environment.env)), errorOfThrown(thrown))
      }
    })
  return addStrategyFlags(command)
}

function collect(line: string, lines: readonly string[]): readonly string[] {
  return [...lines, line]
}
