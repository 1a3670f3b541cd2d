// toolcrib disable: switches a server off, and leaves it in the config.

import type { Command } from 'commander'
import type { Environment } from '../../setup/environment.ts'
import { editCommand } from './remove/remove.ts'

export function disableCommand(environment: Environment): Command {
  const description = 'Switch a server off without removing it from the config.'
  return editCommand(environment, 'disable', description, 'disable files --dry-run')
}
