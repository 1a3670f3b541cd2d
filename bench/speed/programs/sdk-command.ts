// A tool registered with the SDK's own McpServer, over stdio: what a command of this project is compared with.

import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { sdkServer } from '../one-command.ts'

serveStdio(() => sdkServer())
