// What `toolcrib serve` refuses before it opens anything.

import { access } from 'node:fs/promises'
import { findConfig } from '../config/find-config.ts'
import { raise } from '../core/errors.ts'
import type { Environment } from './environment.ts'
import { checkHttpFlags } from './serve/http-flags.ts'
import type { ServeFlags } from './serve-flags.ts'

export async function checkServe({ cwd, home, configDir }: Environment, flags: ServeFlags): Promise<void> {
  checkHttpFlags(flags, 'toolcrib serve')
  const { config } = flags
  if (config === undefined) return
  const { origin } = await findConfig({ cwd, home, configDir, explicit: config })
  const file = origin.kind === 'defaults' ? config : origin.file
  // One that goes away later is another matter: then the last good one stays in force.
  await access(file).catch(() => raise('CONFIG_INVALID', { file, reason: 'there is no such file', given: config }))
}
