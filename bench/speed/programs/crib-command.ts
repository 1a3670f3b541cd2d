// Serves the tool of one-command.ts as a command of this project, over stdio. Clients call it through `afd-call`.

import { createMcpServer } from '../../../src/index.ts'
import { commands } from '../one-command.ts'

await createMcpServer({ name: 'bench', version: '1.0.0', commands, toolStrategy: 'lazy', transport: 'stdio' }).start()
