// A server on the plain SDK, without code of this project, with everything that the official conformance suite needs.

import {
  acceptedContent,
  createRequestStateCodec,
  type GetPromptResult,
  inputRequired,
  McpServer,
  type Prompt,
  ProtocolError,
  type ReadResourceResult,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { IMAGE, PNG } from './contents.ts'
import { TOOLS } from './tools.ts'

/** The state that the servers of all clients share. */
export interface FixtureState {
  readonly added: { tools: number; prompts: number }
  readonly listeners: Set<(kind: 'tools' | 'prompts') => void>
}

export function createState(): FixtureState {
  return { added: { tools: 0, prompts: 0 }, listeners: new Set() }
}

const INVALID_PARAMS = -32_602
const states = createRequestStateCodec<string>({ key: crypto.getRandomValues(new Uint8Array(32)) })
const numberedNames = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`)
const userMessage = (words: string) => ({ role: 'user', content: { type: 'text', text: words } }) as const

const PROMPTS: readonly Prompt[] = [
  { name: 'test_simple_prompt', description: 'Simple.' },
  {
    name: 'test_prompt_with_arguments',
    description: 'With arguments.',
    arguments: ['arg1', 'arg2'].map((name) => ({ name, description: name, required: true })),
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'With a resource.',
    arguments: [{ name: 'resourceUri', description: 'Its URI', required: true }],
  },
  { name: 'test_prompt_with_image', description: 'With an image.' },
  { name: 'test_input_required_result_prompt', description: 'Asks first.' },
]

const RESOURCES = [
  { uri: 'test://static-text', name: 'Static text', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'Static binary', mimeType: 'image/png' },
  { uri: 'test://watched-resource', name: 'Watched resource', mimeType: 'text/plain' },
]

/** Creates the server of one client. */
export function createFixture({ added, listeners }: FixtureState): McpServer {
  const fixture = new McpServer(
    { name: 'conformance-fixture', version: '1.0.0', title: 'Conformance fixture' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        completions: {},
        logging: {},
      },
      instructions: 'Call test_simple_text for a simple text.',
      requestState: { verify: states.verify },
    },
  )
  // The SDK compares headers with arguments only for tools that are registered.
  const inputSchema = z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) })
  fixture.registerTool('test_custom_header', { inputSchema }, () => ({ content: [] }))
  const { server } = fixture
  const add = (kind: 'tools' | 'prompts') => {
    added[kind]++
    for (const listener of listeners) listener(kind)
  }

  server.setRequestHandler('tools/list', () => ({
    tools: [
      ...Object.entries(TOOLS).map(([name, { inputSchema }]) => ({ name, description: name, inputSchema })),
      ...numberedNames('test_added_', added.tools).map((name) => ({
        name,
        description: name,
        inputSchema: { type: 'object' as const },
      })),
    ],
  }))
  server.setRequestHandler('tools/call', ({ params: { name, arguments: args = {} } }, context) => {
    const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined
    if (tool === undefined) throw new ProtocolError(INVALID_PARAMS, `Unknown tool: ${name}`)
    return tool.call({ args, context, server, states, add })
  })

  server.setRequestHandler('prompts/list', () => ({
    prompts: [...PROMPTS, ...numberedNames('test_added_', added.prompts).map((name) => ({ name, description: name }))],
  }))
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: args = {} } }, context) => {
    if (name !== 'test_input_required_result_prompt') return getPrompt(name, args)
    const given = acceptedContent<{ context?: unknown }>(context.mcpReq.inputResponses, 'user_context')
    if (given !== undefined) return { messages: [userMessage(`Use this context: ${given.context}`)] }
    const properties = { context: { type: 'string' as const } }
    const question = inputRequired.elicit({
      message: 'What context should the prompt use?',
      requestedSchema: { type: 'object', properties, required: ['context'] },
    })
    return inputRequired({ inputRequests: { user_context: question } })
  })
  server.setRequestHandler('completion/complete', ({ params: { argument } }) => ({
    completion: { values: ['paris', 'park', 'party'].filter((word) => word.startsWith(argument.value)) },
  }))

  server.setRequestHandler('resources/list', () => ({ resources: RESOURCES }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'Template', mimeType: 'application/json' }],
  }))
  server.setRequestHandler('resources/read', ({ params: { uri } }) => readResource(uri))
  server.setRequestHandler('resources/subscribe', () => ({}))
  server.setRequestHandler('resources/unsubscribe', () => ({}))
  return fixture
}

function getPrompt(name: string, args: Readonly<Record<string, string>>): GetPromptResult {
  switch (name) {
    case 'test_simple_prompt':
      return { messages: [userMessage('This is a simple prompt for testing.')] }
    case 'test_prompt_with_arguments':
      return { messages: [userMessage(`Prompt with arguments: arg1='${args.arg1}', arg2='${args.arg2}'`)] }
    case 'test_prompt_with_embedded_resource': {
      const resource = { uri: args.resourceUri ?? '', mimeType: 'text/plain', text: 'Embedded resource content.' }
      const message = { role: 'user', content: { type: 'resource', resource } } as const
      return { messages: [message, userMessage('Please process the embedded resource above.')] }
    }
    case 'test_prompt_with_image':
      return { messages: [{ role: 'user', content: IMAGE }, userMessage('Please analyze the image above.')] }
    default:
      throw new ProtocolError(INVALID_PARAMS, `Unknown prompt: ${name}`)
  }
}

function readResource(uri: string): ReadResourceResult {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1]
  if (id !== undefined) {
    const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
    return { contents: [{ uri, mimeType: 'application/json', text }] }
  }
  const resource = RESOURCES.find((one) => one.uri === uri)
  if (resource === undefined) throw new ProtocolError(INVALID_PARAMS, `Resource not found: ${uri}`, { uri })
  const { mimeType } = resource
  if (mimeType === 'image/png') return { contents: [{ uri, mimeType, blob: PNG }] }
  return { contents: [{ uri, mimeType, text: 'This is the content of the static text resource.' }] }
}
