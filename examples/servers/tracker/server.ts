// The tracker server: projects, issues and sprints over stdio.

import { createMcpServer } from 'toolcrib'
import { trackerCommands } from './commands.ts'
import { createTracker } from './create-tracker.ts'

await createMcpServer({
  name: 'tracker',
  version: '1.0.0',
  commands: trackerCommands(createTracker()),
  toolStrategy: 'individual',
  strategyOptions: { builtins: false },
  transport: 'stdio',
}).start()
