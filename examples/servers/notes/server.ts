// The notes server: a personal knowledge base over stdio.

import { createMcpServer } from 'toolcrib'
import { notesCommands } from './commands.ts'
import { createVault } from './create-vault.ts'

await createMcpServer({
  name: 'notes',
  version: '1.0.0',
  commands: notesCommands(createVault()),
  toolStrategy: 'individual',
  strategyOptions: { builtins: false },
  transport: 'stdio',
}).start()
