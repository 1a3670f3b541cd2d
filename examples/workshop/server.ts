// Serves the workshop and prints the client configuration; `toolcrib example` runs it.

import { createMcpServer, type McpServer, type StrategyName } from 'toolcrib'
import { createWorkshopCommands, workshopContexts } from './commands.ts'
import { nextFreePort } from './free-port.ts'
import { listingTokens } from './listing-tokens.ts'

const HOST = '127.0.0.1'
const commands = createWorkshopCommands()

/** The options as they are on the command line. */
export interface WorkshopOptions {
  readonly strategy: string
  readonly port: string
  readonly stdio: boolean
  /** Counts tokens with the o200k tokenizer. */
  countTokens(text: string): number
}

interface Flags {
  readonly strategy: string
  readonly port: number
  readonly isStdio: boolean
}

/** A description of the running server, for programs. */
export interface ServedWorkshop {
  readonly strategy: string
  readonly commands: number
  /** The address for clients; absent over stdio. */
  readonly mcp?: string
  readonly tokens: Readonly<Record<string, number>>
}

/** Calls `report` once, when the server listens. The lines are for people. */
export async function serveWorkshop(
  options: WorkshopOptions,
  report: (served: ServedWorkshop, lines: readonly string[]) => void,
): Promise<void> {
  const flags = checkOptions(options)
  const server = workshopServer(flags)
  endOnSignals(server)
  try {
    await server.start()
  } catch (error) {
    throw isPortInUse(error) ? await portInUse(flags.port) : error
  }
  const { strategy, isStdio } = flags
  const categories = new Set(commands.map(({ name }) => name.split('-')[0]))
  const mcp = isStdio ? undefined : `${server.getUrl()}/mcp`
  const costs = await Promise.all([...new Set([strategy, 'individual'])].map((one) => costOf(one, options)))
  const served = {
    strategy,
    commands: commands.length,
    ...(mcp === undefined ? {} : { mcp }),
    tokens: Object.fromEntries(costs.map((cost) => [cost.strategy, cost.tokens])),
  }
  report(served, [
    `Workshop: ${commands.length} commands in ${categories.size} categories, strategy '${strategy}'.`,
    ...(mcp === undefined ? [] : howToConnect(mcp)),
    'What a client pays for the list of tools (counted with o200k):',
    ...costs.map((cost) => `  ${cost.strategy}: ${cost.tokens.toLocaleString('en-US')} tokens for ${cost.tools} tools`),
  ])
}

/** After the first signal, calls in flight may finish. The second signal cancels them. */
function endOnSignals(server: McpServer): void {
  const cancelCalls = new AbortController()
  let isStopping = false
  const stop = (exitCode: number) => {
    if (isStopping) return cancelCalls.abort()
    isStopping = true
    void server.stop({ signal: cancelCalls.signal }).then(() => process.exit(exitCode))
  }
  process.on('SIGINT', () => stop(130)).on('SIGTERM', () => stop(0))
}

function workshopServer({ strategy, port, isStdio }: Flags) {
  return createMcpServer({
    name: 'workshop',
    version: '1.0.0',
    commands,
    contexts: workshopContexts,
    // The name comes from the command line: createMcpServer refuses an unknown one.
    toolStrategy: strategy as StrategyName,
    transport: isStdio ? 'stdio' : 'http',
    host: HOST,
    port,
  })
}

function howToConnect(url: string): readonly string[] {
  return [
    `Listening on ${url}`,
    '',
    'Paste into the configuration of an MCP client:',
    `  ${JSON.stringify({ mcpServers: { workshop: { type: 'http', url } } })}`,
    'or, with Claude Code, run:',
    `  claude mcp add --transport http workshop ${url}`,
    'Stop with Ctrl-C.',
    '',
  ]
}

// Uses a separate server on any free port, because only the client of a stdio server can list its tools.
async function costOf(strategy: string, { countTokens }: WorkshopOptions) {
  const server = workshopServer({ strategy, port: 0, isStdio: false })
  await server.start()
  try {
    return { strategy, ...(await listingTokens(server.getUrl(), countTokens)) }
  } finally {
    await server.stop()
  }
}

function checkOptions({ strategy, port: text, stdio }: WorkshopOptions): Flags {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw new Error(`--port takes a number from 0 (any free port) to 65535, not '${text}'.`)
  }
  return { strategy, port, isStdio: stdio }
}

function isPortInUse(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
}

async function portInUse(port: number): Promise<Error> {
  const free = (await nextFreePort(port, HOST)) ?? 0
  return new Error(`Port ${port} is in use. Use another one: toolcrib example --port ${free}`)
}
