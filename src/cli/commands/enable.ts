// toolcrib enable: switches a server of the config on again.

import type { Command } from 'commander'
import type { Environment } from '../../setup/environment.ts'
import { editCommand } from './remove/remove.ts'

export function enableCommand(environment: Environment): Command {
  return editCommand(environment, 'enable', 'Switch a server of the config on again.', 'enable files')
}
