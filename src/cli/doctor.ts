// toolcrib doctor: starts each server, and says what is wrong with those that do not work.

import type { Command } from 'commander'
import type { Environment } from './environment.ts'
import { type CommonFlags, commandOf, run } from './work.ts'

export function doctorCommand(environment: Environment): Command {
  return commandOf('doctor', 'Start each server, time it, and say what is wrong and what to do.', 'doctor files')
    .argument('[server]', 'only this one')
    .action((server: string | undefined, flags: CommonFlags) =>
      run(environment, flags, async (work) => (await import('./doctor/examine.ts')).examineAll(work, server)),
    )
}
