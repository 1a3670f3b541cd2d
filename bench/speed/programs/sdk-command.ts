// Serves the tool of one-command.ts with the SDK's own McpServer, over stdio.

import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { sdkServer } from '../one-command.ts'

serveStdio(() => sdkServer())
