// A client of a gateway in either protocol era: the official one, with what it heard and what it was asked.

import {
  type CallToolResult,
  Client,
  type ClientCapabilities,
  type JSONRPCMessage,
  LOG_LEVEL_META_KEY,
  type Tool,
  type Transport,
} from '@modelcontextprotocol/client'

export type Era = 'legacy' | 'modern'
export const eras: readonly Era[] = ['legacy', 'modern']

export interface Asked {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

export interface ClientSettings {
  readonly era?: Era
  /** Answers what servers ask; without it the client declares that it answers nothing. */
  reply?(asked: Asked): unknown
}

export interface RunOptions {
  readonly signal?: AbortSignal
  /** Asks for progress and logs. */
  readonly progressToken?: string
}

/** What a tool of the gateway itself answered: its fields are the scenario's to check. */
export type Answer = Readonly<Record<string, unknown>>

export interface GatewayClient {
  readonly client: Client
  readonly era: Era
  /** Progress, logs, questions and changed lists in the order they came, in short. */
  readonly heard: readonly string[]
  readonly asked: readonly Asked[]
  /** The JSON in the only block of an answer. */
  ask(tool: string, args?: Readonly<Record<string, unknown>>): Promise<Answer>
  /** `execute_tool`, as it came. */
  run(args: Readonly<Record<string, unknown>>, options?: RunOptions): Promise<CallToolResult>
  /** The tools listed now, whatever the client has cached. */
  list(): Promise<readonly Tool[]>
  close(): Promise<void>
}

const MODERN = '2026-07-28'
const CAN_ANSWER: ClientCapabilities = { elicitation: { form: {}, url: {} }, sampling: {} }

export async function connectClient(transport: Transport, settings: ClientSettings = {}): Promise<GatewayClient> {
  const { era = 'legacy', reply } = settings
  const heard: string[] = []
  const asked: Asked[] = []
  // As they come over the wire: handlers are called later, and the answer to a call may overtake them.
  transport.onmessage = (message) => {
    const news = newsIn(message)
    if (news !== undefined) heard.push(news)
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
        const one: Asked = { method, params: { ...params } }
        asked.push(one)
        heard.push(`asked ${method}`)
        return reply(one) as never // what the scenario wants to answer
      })
    }
  }
  await client.connect(transport)
  if (client.getProtocolEra() !== era) throw new Error(`Wanted the ${era} era, got ${client.getProtocolEra()}.`)
  const call = (name: string, args: Readonly<Record<string, unknown>>, { signal, progressToken }: RunOptions = {}) => {
    const _meta = { progressToken, [LOG_LEVEL_META_KEY]: 'debug' }
    return client.callTool(
      { name, arguments: args, ...(progressToken === undefined ? {} : { _meta }) },
      signal === undefined ? {} : { signal },
    )
  }
  return {
    client,
    era,
    heard,
    asked,
    async ask(tool, args = {}) {
      const { content, isError = false } = await call(tool, args)
      const [block, ...rest] = content
      if (block?.type !== 'text' || rest.length > 0) throw new Error(`'${tool}' answered with more than one text.`)
      const answer = JSON.parse(block.text) as Answer // an object: what is in it the scenario checks
      // True of every answer, so checked with every answer.
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

/** What a notification says, in short; undefined for all other messages. */
function newsIn(message: JSONRPCMessage): string | undefined {
  if (!('method' in message)) return undefined
  const { method, params = {} } = message
  if (method === 'notifications/progress') return `progress ${params.progress}`
  if (method === 'notifications/message') {
    return `log ${typeof params.data === 'string' ? params.data : JSON.stringify(params.data)}`
  }
  return method.endsWith('/list_changed') ? `${method.split('/')[1]} changed` : undefined
}

/** Says yes, with these words for the fields it is asked for. */
export function accepting(words: Readonly<Record<string, unknown>> = { name: 'Ada', town: 'London' }) {
  return ({ method, params }: Asked): unknown => {
    if (method === 'sampling/createMessage') {
      return { role: 'assistant', content: { type: 'text', text: 'A poem.' }, model: 'test' }
    }
    if (params.mode === 'url') return { action: 'accept' }
    const { properties } = params.requestedSchema as { properties: object } // as every form has it
    const fields = Object.keys(properties).filter((field) => field in words)
    return { action: 'accept', content: Object.fromEntries(fields.map((field) => [field, words[field]])) }
  }
}
