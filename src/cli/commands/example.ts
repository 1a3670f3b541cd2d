// toolcrib example: serves the bundled workshop example.

import { Command } from 'commander'
import { raise } from '../../core/errors.ts'
import { type CountTokens, loadTokenCounter } from '../../core/tokens.ts'
import { portFrom } from '../gateway/http-flags.ts'
import { errorOfThrown } from '../output/error-for-people.ts'
import { createOutput, endOnBrokenPipe, type OutputFlags } from '../output/output.ts'
import { readTerminal } from '../output/terminal.ts'
import { failWith } from '../output/work.ts'

export const EXAMPLE_STRATEGIES = ['individual', 'grouped', 'lazy']
const SERVER = '../examples/workshop/server.js'

export function createCommand(): Command {
  return new Command('example')
    .description('Serve the bundled example: the back office of a bicycle workshop, with over 60 commands.')
    .option('--strategy <name>', 'individual, grouped or lazy', 'lazy')
    .option('--port <number>', 'HTTP port, 0 for any free one', '3100')
    .option('--stdio', 'speak MCP on stdin and stdout instead', false)
    .option('--json', 'over HTTP: print the address as one JSON document and nothing else')
    .option('-q, --quiet', 'over HTTP: print only the address')
    .option('-v, --verbose', 'print more details on stderr')
    .addHelpText('after', '\nExample:\n  $ toolcrib example --strategy grouped --port 3200')
    .action(async (flags: ExampleFlags) => {
      const output = createOutput(flags, readTerminal(process, process.env))
      try {
        checkFlags(flags)
        // Over stdio the server cancels the calls of a client that no longer reads, and then ends.
        if (flags.stdio) process.stdout.off('error', endOnBrokenPipe)
        const { serveWorkshop } = (await import(new URL(SERVER, import.meta.url).href)) as ExampleModule
        await serveWorkshop({ ...flags, countTokens: await loadTokenCounter() }, (served, lines) => {
          if (flags.stdio) output.note(lines.join('\n'))
          else output.show(served, () => (output.isQuiet ? [served.mcp ?? ''] : lines))
        })
      } catch (thrown) {
        process.exitCode = failWith(output, errorOfThrown(thrown))
      }
    })
}

interface ExampleFlags extends OutputFlags {
  readonly strategy: string
  readonly port: string
  readonly stdio: boolean
}

function checkFlags({ port, stdio, json }: ExampleFlags): void {
  const refuse = (reason: string) => raise('INVALID_ARGUMENTS', { reason, command: 'toolcrib example' })
  portFrom(port, 'toolcrib example')
  if (json === true && stdio)
    refuse('--json prints nothing over stdio, because stdout carries the protocol; leave out --stdio')
}

/** The example is built after this package, so it is imported by URL at run time. A test checks this interface. */
interface ExampleModule {
  serveWorkshop(
    options: ExampleFlags & { readonly countTokens: CountTokens },
    /** `mcp` is the address. It is absent over stdio. */
    print: (served: { readonly mcp?: string }, lines: readonly string[]) => void,
  ): Promise<void>
}
