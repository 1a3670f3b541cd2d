// Commands with schemas of valibot and arktype, served to a real client over HTTP.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMcpServer, defineCommand, type McpServer, success } from '../../src/index.ts'

const commands = [
  defineCommand({
    name: 'tea-brew',
    description: 'Brew tea.',
    input: toStandardJsonSchema(
      v.object({ cups: v.pipe(v.number(), v.minValue(1)), kind: v.optional(v.string(), 'green') }),
    ),
    handler: (input) => success(input),
  }),
  defineCommand({
    name: 'tea-pour',
    description: 'Pour tea.',
    input: type({ cups: 'number >= 1', kind: "string = 'green'" }),
    handler: (input) => success(input),
  }),
]

describe('commands with schemas of other libraries than zod', () => {
  const client = new Client({ name: 'reader', version: '1.0.0' })
  let server: McpServer

  beforeAll(async () => {
    server = createMcpServer({
      name: 'tea',
      version: '1.0.0',
      commands,
      toolStrategy: 'individual',
      transport: 'http',
      port: 0,
    })
    await server.start()
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.getUrl()}/mcp`)))
  })
  afterAll(async () => {
    await client.close()
    await server.stop()
  })

  it('commands with schemas of valibot and arktype are listed with their JSON Schemas', async () => {
    const { tools } = await client.listTools()
    expect(tools.find(({ name }) => name === 'tea-brew')?.inputSchema).toEqual({
      type: 'object',
      properties: { cups: { type: 'number', minimum: 1 }, kind: { type: 'string', default: 'green' } },
      required: ['cups'],
    })
    expect(tools.find(({ name }) => name === 'tea-pour')?.inputSchema).toMatchObject({
      type: 'object',
      properties: { cups: { type: 'number', minimum: 1 }, kind: { type: 'string' } },
      required: ['cups'],
    })
  })

  it.each(['tea-brew', 'tea-pour'])('%s gets its input with defaults', async (name) => {
    const { structuredContent } = await client.callTool({ name, arguments: { cups: 2 } })
    expect(structuredContent).toMatchObject({ success: true, data: { cups: 2, kind: 'green' } })
  })

  it.each(['tea-brew', 'tea-pour'])('%s refuses invalid input and names each wrong field', async (name) => {
    const { structuredContent, isError } = await client.callTool({ name, arguments: { kind: 7 } })
    expect(isError).toBe(true)
    expect(structuredContent).toMatchObject({
      success: false,
      error: {
        code: 'VALIDATION_ERROR',
        details: {
          issues: [
            { path: 'cups', message: "Required field 'cups' is missing" },
            { path: 'kind', message: expect.stringMatching(/^Field 'kind': .*string/) },
          ],
        },
      },
    })
  })
})
