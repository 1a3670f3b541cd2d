// toolcrib enable: switches a server of the config on again.

import type { Command } from 'commander'
import type { Environment } from '../../setup/environment.ts'
import { createEditCommand } from '../config-changes/setup-commands.ts'

export function createCommand(environment: Environment): Command {
  return createEditCommand(environment, 'enable', 'Switch a server of the config on again.', 'enable files')
}
