// toolcrib example: serves the bundled workshop, to see what a client sees.

import { Command } from 'commander'

const SERVER = '../../build/examples/workshop/server.js'

export function exampleCommand(): Command {
  return new Command('example')
    .description('Serve the bundled example: the back office of a bicycle workshop, over 60 commands.')
    .option('--strategy <name>', 'individual, grouped or lazy', 'lazy')
    .option('--port <number>', 'HTTP port, 0 for any free one', '3100')
    .option('--stdio', 'speak MCP on stdin and stdout instead', false)
    .addHelpText('after', '\nExample:\n  $ toolcrib example --strategy grouped --port 3200')
    .action(async (options: ExampleOptions) => {
      const { serveWorkshop } = (await import(new URL(SERVER, import.meta.url).href)) as ExampleModule
      await serveWorkshop(options)
    })
}

interface ExampleOptions {
  readonly strategy: string
  readonly port: string
  readonly stdio: boolean
}

/** The example is built after this package and imports it, so it is loaded by address; its own tests check this. */
interface ExampleModule {
  serveWorkshop(options: ExampleOptions): Promise<void>
}
