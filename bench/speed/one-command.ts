// One tool, written for the SDK's McpServer and as a command of this project.

import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { defineCommand, success } from '../../src/index.ts'

const about = { description: 'Gives back a text.', shape: z.object({ text: z.string().min(1).max(1_000) }) }

export function sdkServer(): McpServer {
  const server = new McpServer({ name: 'bench', version: '1.0.0' })
  const { description, shape: inputSchema } = about
  server.registerTool('text-echo', { description, inputSchema }, ({ text }) => ({ content: [{ type: 'text', text }] }))
  return server
}

export const commands = [
  defineCommand({
    name: 'text-echo',
    description: about.description,
    input: about.shape,
    handler: ({ text }) => success(text),
  }),
]
