// Serves the tool that is registered with the SDK's own McpServer, over stdio.

import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { sdkServer } from '../one-command.ts'

serveStdio(() => sdkServer())
