// The official client in either protocol era. It records the notifications and questions that it gets.

import {
  type CallToolResult,
  Client,
  type ClientCapabilities,
  type JSONRPCMessage,
  LOG_LEVEL_META_KEY,
  type Tool,
  type Transport,
} from '@modelcontextprotocol/client'

export type ProtocolEra = 'legacy' | 'modern'
export const eras: readonly ProtocolEra[] = ['legacy', 'modern']

export interface ReceivedQuestion {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

export interface ClientSettings {
  readonly era?: ProtocolEra
  /** Answers the questions of servers. Without it, the client declares no capabilities for questions. */
  reply?(asked: ReceivedQuestion): unknown
}

export interface ToolRunOptions {
  readonly signal?: AbortSignal
  /** Requests progress and logs. */
  readonly progressToken?: string
}

/** The answer of a gateway tool. The scenario checks its fields. */
export type MetaToolAnswer = Readonly<Record<string, unknown>>

export interface GatewayClient {
  readonly client: Client
  readonly era: ProtocolEra
  /** Progress, logs and list changes as short texts, in the order in which they came. */
  readonly notifications: readonly string[]
  readonly asked: readonly ReceivedQuestion[]
  /** Calls a gateway tool and returns the JSON of its only content block. */
  ask(tool: string, args?: Readonly<Record<string, unknown>>): Promise<MetaToolAnswer>
  /** Calls `execute_tool` and returns its unchanged result. */
  run(args: Readonly<Record<string, unknown>>, options?: ToolRunOptions): Promise<CallToolResult>
  /** Lists the current tools and bypasses the client's cache. */
  list(): Promise<readonly Tool[]>
  close(): Promise<void>
}

const MODERN = '2026-07-28'
const CAN_ANSWER: ClientCapabilities = { elicitation: { form: {}, url: {} }, sampling: {} }

export async function connectClient(transport: Transport, settings: ClientSettings = {}): Promise<GatewayClient> {
  const { era = 'legacy', reply } = settings
  const notifications: string[] = []
  const asked: ReceivedQuestion[] = []
  // Records messages when they arrive, because handlers run later, possibly after the answer to a call.
  transport.onmessage = (message) => {
    const text = describeNotification(message)
    if (text !== undefined) notifications.push(text)
  }
  const subscribed = { autoRefresh: false, debounceMs: 0, onChanged() {} }
  const client = new Client(
    { name: 'e2e', version: '1.0.0' },
    {
      capabilities: reply === undefined ? {} : CAN_ANSWER,
      versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: MODERN } },
      listChanged: { tools: subscribed, prompts: subscribed, resources: subscribed },
    },
  )
  if (reply !== undefined) {
    for (const method of ['elicitation/create', 'sampling/createMessage'] as const) {
      client.setRequestHandler(method, ({ params }) => {
        const one: ReceivedQuestion = { method, params: { ...params } }
        asked.push(one)
        notifications.push(`asked ${method}`)
        return reply(one) as never // the scenario's answer
      })
    }
  }
  await client.connect(transport)
  if (client.getProtocolEra() !== era) throw new Error(`Wanted the ${era} era, got ${client.getProtocolEra()}.`)
  const call = (
    name: string,
    args: Readonly<Record<string, unknown>>,
    { signal, progressToken }: ToolRunOptions = {},
  ) => {
    const _meta = { progressToken, [LOG_LEVEL_META_KEY]: 'debug' }
    return client.callTool(
      { name, arguments: args, ...(progressToken === undefined ? {} : { _meta }) },
      signal === undefined ? {} : { signal },
    )
  }
  return {
    client,
    era,
    notifications,
    asked,
    async ask(tool, args = {}) {
      const { content, isError = false } = await call(tool, args)
      const [block, ...rest] = content
      if (block?.type !== 'text' || rest.length > 0) throw new Error(`'${tool}' did not answer with exactly one text.`)
      const answer = JSON.parse(block.text) as MetaToolAnswer // an object; the scenario checks its fields
      // This must be true for every answer, so it is checked here.
      if (isError !== (answer.success === false)) throw new Error(`'${tool}': isError is ${isError}.`)
      return answer
    },
    run: (args, options) => call('execute_tool', args, options),
    async list() {
      const { tools } = await client.listTools(undefined, { cacheMode: 'bypass' })
      return tools
    },
    close: () => client.close(),
  }
}

/** The names of the enabled tools of a server behind the gateway. */
export async function toolNamesOf({ ask }: GatewayClient, server: string): Promise<readonly string[]> {
  const { tools } = await ask('list_tools', { server })
  return (tools as { name: string }[]).map(({ name }) => name) // the answer of list_tools, which has its own tests
}

/** A short text for a notification; undefined for other messages. */
function describeNotification(message: JSONRPCMessage): string | undefined {
  if (!('method' in message)) return undefined
  const { method, params = {} } = message
  if (method === 'notifications/progress') return `progress ${params.progress}`
  if (method === 'notifications/message') {
    return `log ${typeof params.data === 'string' ? params.data : JSON.stringify(params.data)}`
  }
  return method.endsWith('/list_changed') ? `${method.split('/')[1]} changed` : undefined
}

/** Accepts every question, with these values for the requested fields. */
export function accepting(words: Readonly<Record<string, unknown>> = { name: 'Ada', town: 'London' }) {
  return ({ method, params }: ReceivedQuestion): unknown => {
    if (method === 'sampling/createMessage') {
      return { role: 'assistant', content: { type: 'text', text: 'A poem.' }, model: 'test' }
    }
    if (params.mode === 'url') return { action: 'accept' }
    const { properties } = params.requestedSchema as { properties: object } // every form has fields
    const fields = Object.keys(properties).filter((field) => field in words)
    return { action: 'accept', content: Object.fromEntries(fields.map((field) => [field, words[field]])) }
  }
}
