// What `toolcrib serve` refuses before it opens anything.

import type { Environment } from './environment.ts'
import { requireGivenConfig } from './load-config.ts'
import { checkHttpFlags } from './serve/http-flags.ts'
import type { ServeFlags } from './serve-flags.ts'

export async function checkServe(environment: Environment, flags: ServeFlags): Promise<void> {
  checkHttpFlags(flags, 'toolcrib serve')
  // If the file goes away later, the last good config stays in force.
  await requireGivenConfig(environment, flags.config)
}
