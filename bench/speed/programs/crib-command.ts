// The same tool as a command of a server of this project, called through `afd-call`, over stdio.

import { createMcpServer } from '../../../src/index.ts'
import { commands } from '../one-command.ts'

await createMcpServer({ name: 'bench', version: '1.0.0', commands, toolStrategy: 'lazy', transport: 'stdio' }).start()
