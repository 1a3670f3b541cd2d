// Serves the same tool as a command of this project, over stdio; clients call it through `afd-call`.

import { createMcpServer } from '../../../src/index.ts'
import { commands } from '../one-command.ts'

await createMcpServer({ name: 'bench', version: '1.0.0', commands, toolStrategy: 'lazy', transport: 'stdio' }).start()
