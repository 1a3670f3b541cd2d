// toolcrib remove: removes one server from the config.

import type { Command } from 'commander'
import type { Environment } from '../../setup/environment.ts'
import { createEditCommand } from '../config-changes/setup-commands.ts'

export function createCommand(environment: Environment): Command {
  return createEditCommand(environment, 'remove', 'Remove a server from the config.', 'remove files --dry-run')
}
