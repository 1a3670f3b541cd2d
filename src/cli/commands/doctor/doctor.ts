// toolcrib doctor: starts each server, and reports what is wrong with each server that does not work.

import type { Command } from 'commander'
import type { Environment } from '../../../setup/environment.ts'
import { type CommonFlags, commandOf, run } from '../../output/work.ts'

export function createCommand(environment: Environment): Command {
  return commandOf('doctor', 'Start each server, time it, and show what is wrong and how to fix it.', 'doctor files')
    .argument('[server]', 'check only this server')
    .action((server: string | undefined, flags: CommonFlags) =>
      run(environment, flags, async (work) => (await import('./examine.ts')).examineAll(work, server)),
    )
}
