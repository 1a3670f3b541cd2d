// One server of a named variant and its clients, over each transport and in each protocol era.

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport, type Tool, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll } from 'vitest'
import {
  type BatchResult,
  type CommandResult,
  createMcpServer,
  type McpServerOptions,
  type PipeResult,
} from '../../src/index.ts'
import { isAlive } from '../../src/sources/upstream/upstream.fixture.ts'
import { serverOptions, type VariantName } from '../fixtures/variants.ts'
import { citing } from './citing.ts'
import { createMemoryServer } from './memory-server.ts'
import { requirements } from './requirements.ts'

export interface Combination {
  readonly transport: 'memory' | 'stdio' | 'http'
  readonly era: 'legacy' | 'modern'
}

export const combinations: readonly Combination[] = (['memory', 'stdio', 'http'] as const).flatMap((transport) =>
  (['legacy', 'modern'] as const).map((era) => ({ transport, era })),
)

/** The name of a suite that runs once for each combination. */
export const OVER = 'over $transport in the $era era'

export const strategies = ['individual', 'grouped', 'lazy'] as const
export type TestedStrategy = (typeof strategies)[number]

export interface ServerSpec extends Combination {
  readonly variant?: VariantName
  /** The default is the server's default. */
  readonly strategy?: TestedStrategy
  /** Replaces options of the variant. No effect over stdio: a child process gets only the names of the variant and the strategy. */
  readonly rest?: Partial<McpServerOptions>
}

type AnyResult = CommandResult | BatchResult | PipeResult

/** The result of a tool call. */
export interface ToolAnswer<R extends AnyResult = CommandResult> {
  readonly result: R
  readonly isError: boolean
  readonly text: string
  /** The content blocks after the text. */
  readonly blocks: readonly { readonly type: string }[]
}

export interface TestConnection {
  readonly client: Client
  /** `R` is the expected type of the result; the scenario checks it. */
  call<R extends AnyResult = CommandResult>(
    tool: string,
    args?: Readonly<Record<string, unknown>>,
  ): Promise<ToolAnswer<R>>
  list(): Promise<readonly Tool[]>
  close(): Promise<void>
}

export interface RunningServer {
  connect(): Promise<TestConnection>
  /** The base address over HTTP; `memory://` or `stdio://` otherwise. */
  readonly url: string
  close(): Promise<void>
}

/** Names the requirements that a scenario tests. */
export const covers = citing(requirements)

export type SharedConnection = Omit<TestConnection, 'close'> & Pick<RunningServer, 'connect'>

/** Starts a server with one client for all scenarios of the suite. */
export function useConnection(spec: ServerSpec): SharedConnection {
  const { shop } = useConnections({ shop: spec })
  return shop
}

/** Starts several servers in parallel, because a child process takes half a second to start. */
export function useConnections<K extends string>(specs: Readonly<Record<K, ServerSpec>>): Record<K, SharedConnection> {
  const names = Object.keys(specs) as K[] // a record has no other keys
  const servers = new Map<K, RunningServer>()
  const connections = new Map<K, TestConnection>()
  beforeAll(async () => {
    await Promise.all(
      names.map(async (name) => {
        const server = await startServer(specs[name])
        servers.set(name, server)
        connections.set(name, await server.connect())
      }),
    )
  })
  afterAll(async () => {
    await Promise.all([...servers.values()].map((server) => server.close()))
  })
  const shared = (name: K): SharedConnection => ({
    get client() {
      return live(connections.get(name)).client
    },
    call: (tool, args) => live(connections.get(name)).call(tool, args),
    list: () => live(connections.get(name)).list(),
    connect: () => live(servers.get(name)).connect(),
  })
  return Object.fromEntries(names.map((name) => [name, shared(name)])) as Record<K, SharedConnection> // one per name
}

function live<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The server is not running.')
  return value
}

/** Over stdio every connection starts a separate process. */
export async function startServer(spec: ServerSpec): Promise<RunningServer> {
  const { transport, era, variant = 'shop', strategy, rest = {} } = spec
  const { options: usual, attach } = quietOptions(variant, strategy)
  // A scenario gives options that fit the strategy.
  const options = { ...usual, ...rest } as McpServerOptions
  const door = { memory: openMemory, stdio: openStdio, http: openHttp }[transport]
  const { url, open, stop } = await door()
  const connections = new Set<TestConnection>()
  return {
    url,
    async connect() {
      const transport = open()
      const connection = await connectClient(transport, era).catch((error) => {
        throw transport instanceof ChildTransport ? new Error(transport.errorOutput, { cause: error }) : error
      })
      connections.add(connection)
      return connection
    },
    async close() {
      await Promise.all([...connections].map((connection) => connection.close()))
      await stop()
    },
  }

  async function openMemory(): Promise<Door> {
    const server = createMemoryServer(options)
    attach(server)
    return { url: 'memory://', open: server.connect, stop: server.stop }
  }

  async function openStdio(): Promise<Door> {
    const children: ChildTransport[] = []
    const args = [entryPath(), variant, ...(strategy === undefined ? [] : [strategy])]
    const open = () => {
      const child = new ChildTransport({ command: process.execPath, args, stderr: 'pipe' })
      children.push(child)
      return child
    }
    return { url: 'stdio://', open, stop: async () => assertEnded(children) }
  }

  async function openHttp(): Promise<Door> {
    const server = createMcpServer({ ...options, transport: 'http', port: 0 })
    attach(server)
    await server.start()
    const url = server.getUrl()
    return { url, open: () => new StreamableHTTPClientTransport(new URL(`${url}/mcp`)), stop: server.stop }
  }
}

interface Door {
  readonly url: string
  open(): Transport
  stop(): Promise<void>
}

/** A subclass: for a plain `StdioClientTransport`, the SDK starts a second process to detect the protocol era. */
class ChildTransport extends StdioClientTransport {
  /** Stays set after the transport has released its process. */
  childPid: number | null = null
  /** The stderr of the process, for the error if it does not serve. */
  errorOutput = ''

  override async start(): Promise<void> {
    this.stderr?.on('data', (chunk) => {
      this.errorOutput += String(chunk)
    })
    await super.start()
    this.childPid = this.pid
  }
}

/** Ignores errors that handlers throw on purpose; stdio.test.ts checks what is printed for them. */
export function quietOptions(variant: VariantName, strategy: string | undefined): ReturnType<typeof serverOptions> {
  const { options, attach } = serverOptions(variant, strategy)
  return { options: { onError: () => {}, ...options }, attach }
}

async function connectClient(transport: Transport, era: Combination['era']): Promise<TestConnection> {
  const client = new Client(
    { name: 'e2e', version: '1.0.0' },
    { versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } } },
  )
  await client.connect(transport)
  if (client.getProtocolEra() !== era) throw new Error(`Wanted the ${era} era, got ${client.getProtocolEra()}.`)
  return {
    client,
    async call(tool, args = {}) {
      const { content, structuredContent, isError = false } = await client.callTool({ name: tool, arguments: args })
      const [first, ...blocks] = content
      if (first?.type !== 'text') throw new Error(`'${tool}' answered without text.`)
      // This must be true for every result, so it is checked here.
      if (first.text !== JSON.stringify(structuredContent)) throw new Error(`'${tool}': text and structure differ.`)
      // The type is the scenario's claim, and the scenario checks it.
      return { result: structuredContent as never, isError, text: first.text, blocks }
    },
    async list() {
      // Bypasses the client's cache, to get the current list of the server.
      const { tools } = await client.listTools(undefined, { cacheMode: 'bypass' })
      return tools
    },
    close: () => client.close(),
  }
}

export function entryPath(): string {
  const path = fileURLToPath(new URL('../../build/test/fixtures/stdio-entry.js', import.meta.url))
  if (existsSync(path)) return path
  throw new Error(`${path} is not built. Run \`npm test\`, or \`npx tsc -p tsconfig.tools.json\` before vitest.`)
}

function assertEnded(children: readonly ChildTransport[]): void {
  const left = children.map(({ childPid }) => childPid).filter((pid) => pid !== null && isAlive(pid))
  if (left.length > 0) throw new Error(`Server processes outlived their client: ${left.join(', ')}.`)
}
