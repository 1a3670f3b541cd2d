// A server with the tools that the official conformance suite calls by name, written as Toolcrib commands.

import { type Command, createMcpServer, defineCommand, failure, success } from 'toolcrib'
import { z } from 'zod'
import { IMAGE, LONG_SCHEMA, SOUND } from './sdk/contents.ts'

// zod adds `type: object` itself.
const { type: _type, ...LONG_KEYWORDS } = LONG_SCHEMA

const nothing = z.object({})

const commands: readonly Command[] = [
  defineCommand({
    name: 'test-simple-text',
    description: 'Give a simple text.',
    input: nothing,
    handler: () => success(null, { content: [{ type: 'text', text: 'This is a simple text response for testing.' }] }),
  }),
  defineCommand({
    name: 'test-image-content',
    description: 'Give an image.',
    input: nothing,
    handler: () => success(null, { content: [IMAGE] }),
  }),
  defineCommand({
    name: 'test-audio-content',
    description: 'Give a sound.',
    input: nothing,
    handler: () => success(null, { content: [SOUND] }),
  }),
  defineCommand({
    name: 'test-embedded-resource',
    description: 'Give an embedded resource.',
    input: nothing,
    handler: () =>
      success(null, {
        content: [
          {
            type: 'resource',
            resource: {
              uri: 'test://embedded-resource',
              mimeType: 'text/plain',
              text: 'This is an embedded resource content.',
            },
          },
        ],
      }),
  }),
  defineCommand({
    name: 'test-multiple-content-types',
    description: 'Give a text, an image and a resource.',
    input: nothing,
    handler: () =>
      success(null, {
        content: [
          { type: 'text', text: 'Multiple content types test:' },
          IMAGE,
          {
            type: 'resource',
            resource: { uri: 'test://mixed-content-resource', mimeType: 'application/json', text: '{"test":"data"}' },
          },
        ],
      }),
  }),
  defineCommand({
    name: 'test-tool-with-logging',
    description: 'Send three log messages.',
    input: nothing,
    async handler(_input, context) {
      for (const message of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        context.log('info', message)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      return success(null)
    },
  }),
  defineCommand({
    name: 'test-error-handling',
    description: 'Always fail.',
    input: nothing,
    handler: () => failure({ code: 'TEST_ERROR', message: 'This tool intentionally returns an error for testing' }),
  }),
  defineCommand({
    name: 'test-tool-with-progress',
    description: 'Report progress three times.',
    input: nothing,
    async handler(_input, context) {
      for (const done of [0, 50, 100]) {
        context.progress(done, 100)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      return success(null)
    },
  }),
  defineCommand({
    name: 'json-schema-2020-12-tool',
    description: 'Take an input with a schema that has keywords of JSON Schema 2020-12 that draft-07 does not have.',
    input: z.looseObject({}).meta(LONG_KEYWORDS),
    handler: (input) => success(input),
  }),
  defineCommand({
    name: 'test-custom-header',
    description: 'Take a parameter that must also come as a header.',
    input: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }),
    handler: ({ region }) => success({ region }),
  }),
  defineCommand({
    name: 'test-reconnection',
    description: 'Let go of the connection, then answer.',
    input: nothing,
    async handler(_input, context) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      context.releaseConnection?.()
      await new Promise((resolve) => setTimeout(resolve, 100))
      return success({ reconnected: true })
    },
  }),
  defineCommand({
    name: 'test-missing-capability',
    description: 'Refuse clients that cannot sample.',
    input: nothing,
    handler: (_input, { caller }) =>
      caller.capabilities?.sampling === undefined
        ? failure({
            code: 'CLIENT_CAPABILITY_MISSING',
            message: "This command needs a client that declares 'sampling'",
            details: { requiredCapabilities: { sampling: {} } },
          })
        : success(null),
  }),
]

export function createFixtureServer(port: number) {
  let added = 0
  const trigger = defineCommand({
    name: 'test-trigger-tool-change',
    description: 'Add a tool to the list.',
    input: nothing,
    handler() {
      added++
      server.register(defineCommand({ ...pixel, name: `test-added-${added}` }))
      return success({ added })
    },
  })
  const server = createMcpServer({
    name: 'toolcrib-conformance',
    version: '1.0.0',
    // The suite calls the tools by names with underscores.
    commands: [...commands, trigger].map((command) => ({ ...command, name: command.name.replaceAll('-', '_') })),
    toolStrategy: 'individual',
    transport: 'http',
    port,
  })
  return server
}

const pixel = {
  description: 'Give a pixel.',
  input: nothing,
  handler: () => success(null, { content: [IMAGE] }),
}
