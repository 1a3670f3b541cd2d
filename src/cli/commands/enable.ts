// toolcrib enable: enables a disabled server of the config.

import type { Command } from 'commander'
import type { Environment } from '../../setup/environment.ts'
import { createEditCommand } from '../config-changes/setup-commands.ts'

export function createCommand(environment: Environment): Command {
  return createEditCommand(environment, 'enable', 'Enable a disabled server of the config.', 'enable files')
}
