// Uses the types of the package as a user would. scripts/package/check.mjs compiles it in an empty folder.

import { McpServer } from '@modelcontextprotocol/server'
import {
  type CommandResult,
  createDirectClient,
  createMcpServer,
  defineCommand,
  defineConfig,
  lazyTools,
  success,
  wrapServer,
} from 'toolcrib'
import { z } from 'zod'

const double = defineCommand({
  name: 'number-double',
  description: 'Doubles a number.',
  input: z.object({ value: z.number() }),
  handler: ({ value }) => success({ doubled: value * 2 }),
})
const server = createMcpServer({ name: 'numbers', version: '1.0.0', commands: [double] })
const result: CommandResult<{ doubled: number }> = await createDirectClient(server).call('number-double', { value: 1 })
export const doubled: number = result.success ? result.data.doubled : 0
// @ts-expect-error The value is a number.
await createDirectClient(server).call('number-double', { value: 'one' })
// @ts-expect-error There is no such command.
await createDirectClient(server).call('number-halve', { value: 1 })

export const config = defineConfig({ discovery: { servers: { files: { command: 'server-files' } } } })
// @ts-expect-error There is no such key.
defineConfig({ discovry: {} })
export const own: McpServer = lazyTools(new McpServer({ name: 'own', version: '1.0.0' }))
export const wrapped = wrapServer({ type: 'stdio', command: 'server-files' }, { strategy: 'gateway' })
