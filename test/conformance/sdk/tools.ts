// The tools that the official conformance suite calls by name, on the plain SDK.

import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  MissingRequiredClientCapabilityError,
  type RequestStateCodec,
  type Server,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server'
import { DEFAULTS, ENUMS, IMAGE, LONG_SCHEMA, SOUND, USER_FIELDS } from './contents.ts'

/** One call of a tool, on the server of one client. */
export interface FixtureToolCall {
  readonly args: Readonly<Record<string, unknown>>
  readonly context: ServerContext
  readonly server: Server
  readonly states: RequestStateCodec<string>
  /** Adds one entry to a list and notifies the clients. */
  add(kind: 'tools' | 'prompts'): void
}

type Answer = CallToolResult | InputRequiredResult
interface FixtureTool extends Pick<Tool, 'inputSchema'> {
  call(call: FixtureToolCall): Answer | Promise<Answer>
}

const NOTHING: Tool['inputSchema'] = { type: 'object', properties: {} }
const text = (words: string): CallToolResult => ({ content: [{ type: 'text', text: words }] })
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const toolOf = (call: FixtureTool['call'], properties: Record<string, object> = {}): FixtureTool => ({
  inputSchema: Object.keys(properties).length === 0 ? NOTHING : schemaOf(properties),
  call,
})

/** Makes the function of a tool that asks one question and returns the answer. The SDK asks in the way of the client's era. */
const asking =
  (
    key: string,
    request: (args: FixtureToolCall['args']) => InputRequests[string],
    words: string,
  ): FixtureTool['call'] =>
  ({ args, context }) => {
    const answer = context.mcpReq.inputResponses?.[key]
    if (answer === undefined) return inputRequired({ inputRequests: { [key]: request(args) } })
    return text(`${words}: ${JSON.stringify(answer)}`)
  }

const form = (message: string, properties: object, required: readonly string[] = []) =>
  inputRequired.elicit({ message, requestedSchema: { type: 'object', properties, required: [...required] } as never }) // the fields that the suite expects
const ask = (message: string, field: string, type = 'string') => form(message, { [field]: { type } }, [field])
const sample = (words: string) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: words } }],
    maxTokens: 100,
  })

async function confirmWithState({ context, states }: FixtureToolCall): Promise<Answer> {
  const { mcpReq } = context
  if (mcpReq.requestState<string>() === 'confirm' && mcpReq.inputResponses?.confirm !== undefined)
    return text('state-ok')
  const requestState = await states.mint('confirm', context)
  return inputRequired({ inputRequests: { confirm: ask('Please confirm', 'ok', 'boolean') }, requestState })
}

async function askInTwoRounds({ context, states }: FixtureToolCall): Promise<Answer> {
  const { mcpReq } = context
  const round = mcpReq.requestState<string>()
  if (round === 'two' && mcpReq.inputResponses?.step2 !== undefined) return text('All steps done')
  const isSecond = round === 'one' && mcpReq.inputResponses?.step1 !== undefined
  const requestState = await states.mint(isSecond ? 'two' : 'one', context)
  return inputRequired({
    inputRequests: isSecond
      ? { step2: ask('Step 2: What is your favorite color?', 'color') }
      : { step1: ask('Step 1: What is your name?', 'name') },
    requestState,
  })
}

async function askThreeQuestions({ context, states }: FixtureToolCall): Promise<Answer> {
  const answers = context.mcpReq.inputResponses ?? {}
  if (['user_name', 'greeting', 'client_roots'].every((key) => answers[key] !== undefined)) return text('All answered')
  return inputRequired({
    inputRequests: {
      user_name: ask('What is your name?', 'name'),
      greeting: sample('Generate a greeting'),
      client_roots: inputRequired.listRoots(),
    },
    requestState: await states.mint('several', context),
  })
}

function askByCapabilities({ context }: FixtureToolCall): Answer {
  const declared = declaredBy(context)
  if (Object.keys(context.mcpReq.inputResponses ?? {}).length > 0) return text('Answered')
  return inputRequired({
    inputRequests: {
      ...('elicitation' in declared ? { name: ask('What is your name?', 'name') } : {}),
      ...('sampling' in declared ? { greeting: sample('Generate a greeting') } : {}),
    },
  })
}

function greet({ context }: FixtureToolCall): Answer {
  const given = acceptedContent<{ name?: unknown }>(context.mcpReq.inputResponses, 'user_name')
  if (typeof given?.name === 'string') return text(`Hello, ${given.name}!`)
  return inputRequired({ inputRequests: { user_name: ask('What is your name?', 'name') } })
}

export const TOOLS: Readonly<Record<string, FixtureTool>> = {
  test_simple_text: toolOf(() => text('This is a simple text response for testing.')),
  test_image_content: toolOf(() => ({ content: [IMAGE] })),
  test_audio_content: toolOf(() => ({ content: [SOUND] })),
  test_embedded_resource: toolOf(() => ({
    content: [embedded('test://embedded-resource', 'text/plain', 'Embedded.')],
  })),
  test_multiple_content_types: toolOf(() => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      IMAGE,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data"}'),
    ],
  })),
  test_tool_with_logging: toolOf(async ({ context }) => {
    for (const words of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await context.mcpReq.log('info', words)
      await pause(50)
    }
    return text('Logged')
  }),
  test_logging_tool: toolOf(async ({ context }) => {
    await context.mcpReq.log('info', 'Said while the tool runs')
    return text('Logged')
  }),
  test_error_handling: toolOf(() => ({
    ...text('This tool intentionally returns an error for testing'),
    isError: true,
  })),
  test_tool_with_progress: toolOf(async ({ context }) => {
    const progressToken = context.mcpReq._meta?.progressToken
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        await context.mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100, message: `Completed step ${progress} of 100` },
        })
      }
      await pause(50)
    }
    return text(String(progressToken))
  }),
  test_sampling: toolOf(
    asking('answer', ({ prompt }) => sample(String(prompt)), 'LLM response'),
    { prompt: { type: 'string' } },
  ),
  test_elicitation: toolOf(
    asking('answer', ({ message }) => form(String(message), USER_FIELDS, ['username', 'email']), 'User response'),
    { message: { type: 'string' } },
  ),
  test_elicitation_sep1034_defaults: toolOf(
    asking('answer', () => form('Check these values', DEFAULTS), 'Elicitation completed'),
  ),
  test_elicitation_sep1330_enums: toolOf(asking('answer', () => form('Choose', ENUMS), 'Elicitation completed')),
  json_schema_2020_12_tool: { inputSchema: LONG_SCHEMA, call: ({ args }) => text(JSON.stringify(args)) },
  test_custom_header: toolOf(({ args }) => text(String(args.region)), {
    region: { type: 'string', 'x-mcp-header': 'Region' },
  }),
  test_reconnection: toolOf(async ({ context }) => {
    await pause(100)
    context.http?.closeSSE?.()
    await pause(100)
    return text('Reconnected')
  }),
  test_missing_capability: toolOf(({ context }) => {
    if ('sampling' in declaredBy(context)) return text('It can sample')
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
  }),
  test_streaming_elicitation: toolOf(greet),
  test_trigger_tool_change: toolOf(({ add }) => {
    add('tools')
    return text('Added a tool')
  }),
  test_trigger_prompt_change: toolOf(({ add }) => {
    add('prompts')
    return text('Added a prompt')
  }),
  test_input_required_result_elicitation: toolOf(greet),
  test_input_required_result_sampling: toolOf(
    asking('capital_question', () => sample('What is the capital of France?'), 'Answer'),
  ),
  test_input_required_result_list_roots: toolOf(asking('client_roots', () => inputRequired.listRoots(), 'Roots')),
  test_input_required_result_request_state: toolOf(confirmWithState),
  test_input_required_result_tampered_state: toolOf(confirmWithState),
  test_input_required_result_multiple_inputs: toolOf(askThreeQuestions),
  test_input_required_result_multi_round: toolOf(askInTwoRounds),
  test_input_required_result_capabilities: toolOf(askByCapabilities),
}

function declaredBy({ mcpReq }: ServerContext): object {
  const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope }
  const declared = envelope[CLIENT_CAPABILITIES_META_KEY]
  return typeof declared === 'object' && declared !== null ? declared : {}
}

function schemaOf(properties: Record<string, object>): Tool['inputSchema'] {
  return { type: 'object', properties: properties as never, required: Object.keys(properties) } // JSON Schemas of the tools above
}

function embedded(uri: string, mimeType: string, words: string) {
  return { type: 'resource', resource: { uri, mimeType, text: words } } as const
}
