// toolcrib inspector: opens the web page of a gateway that serves HTTP, and starts one if none runs.

import type { Command } from 'commander'
import type { Environment } from '../../../setup/environment.ts'
import { commandOf, run } from '../../output/work.ts'
import type { InspectorFlags } from './open-inspector.ts'

export function createCommand(environment: Environment): Command {
  return commandOf(
    'inspector',
    'Open a web page with the servers, tools and calls of the gateway. Starts a gateway if none serves HTTP, or with --config or --port.',
    'inspector',
    'inspector --no-open',
  )
    .option('--no-open', 'only print the address')
    .option('--port <number>', 'start a gateway on this port, even if another gateway runs (default: any free port)')
    .action((flags: InspectorFlags) =>
      run(environment, flags, async (work) => (await import('./open-inspector.ts')).openInspector(work, flags)),
    )
}
