// toolcrib disable: disables a server, and leaves it in the config.

import type { Command } from 'commander'
import type { Environment } from '../../setup/environment.ts'
import { createEditCommand } from '../config-changes/setup-commands.ts'

export function createCommand(environment: Environment): Command {
  const description = 'Disable a server without removing it from the config.'
  return createEditCommand(environment, 'disable', description, 'disable files --dry-run')
}
