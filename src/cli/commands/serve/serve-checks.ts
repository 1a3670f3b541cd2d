// The checks that `toolcrib serve` makes before it opens a port or starts a server.

import type { Environment } from '../../../setup/environment.ts'
import { requireGivenConfig } from '../../../setup/load-config.ts'
import { checkHttpFlags } from '../../gateway/http-flags.ts'
import type { ServeFlags } from './serve-flags.ts'

export async function checkServe(environment: Environment, flags: ServeFlags): Promise<void> {
  checkHttpFlags(flags, 'toolcrib serve')
  // Checked at the start only: if the file disappears later, the last good config stays in force.
  await requireGivenConfig(environment, flags.config)
}
