// Serves the workshop and says what to paste into a client: what `npm start` and `toolcrib example` run.

import { createMcpServer } from 'toolcrib'
import { createWorkshopCommands, workshopContexts } from './commands.ts'
import { nextFreePort } from './free-port.ts'
import { listingTokens } from './listing-tokens.ts'

const HOST = '127.0.0.1'
const commands = createWorkshopCommands()

/** As they come from a command line. */
export interface WorkshopOptions {
  readonly strategy: string
  readonly port: string
  readonly stdio: boolean
}

interface Flags {
  readonly strategy: string
  readonly port: number
  readonly isStdio: boolean
}

export async function serveWorkshop(options: WorkshopOptions): Promise<void> {
  const flags = checkOptions(options)
  // Over stdio, stdout belongs to the protocol.
  const print = flags.isStdio ? console.error : console.log
  const server = workshopServer(flags)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void server.stop().then(() => process.exit(0)))
  }
  try {
    await server.start()
  } catch (error) {
    throw isPortInUse(error) ? await portInUse(flags.port) : error
  }
  const categories = new Set(commands.map(({ name }) => name.split('-')[0]))
  print(`Workshop: ${commands.length} commands in ${categories.size} categories, strategy '${flags.strategy}'.`)
  if (!flags.isStdio) print(howToConnect(`${server.getUrl()}/mcp`))
  print(await costs(flags.strategy))
}

function workshopServer({ strategy, port, isStdio }: Flags) {
  return createMcpServer({
    name: 'workshop',
    version: '1.0.0',
    commands,
    contexts: workshopContexts,
    toolStrategy: strategy,
    transport: isStdio ? 'stdio' : 'http',
    host: HOST,
    port,
  })
}

function howToConnect(url: string): string {
  return [
    `Listening on ${url}`,
    '',
    'Paste into the configuration of an MCP client:',
    `  ${JSON.stringify({ mcpServers: { workshop: { type: 'http', url } } })}`,
    'or, with Claude Code, run:',
    `  claude mcp add --transport http workshop ${url}`,
    'Stop with Ctrl-C.',
    '',
  ].join('\n')
}

async function costs(strategy: string): Promise<string> {
  const lines = []
  for (const one of new Set([strategy, 'individual'])) {
    const { tools, tokens } = await costOf(one)
    lines.push(`  ${one}: ${tokens} tokens for ${tools} tools`)
  }
  return ['What a client pays for the list of tools (counted with o200k):', ...lines].join('\n')
}

// A server of its own, on any free port: a stdio server can be listed by its one client only.
async function costOf(strategy: string): Promise<{ tools: number; tokens: number }> {
  const server = workshopServer({ strategy, port: 0, isStdio: false })
  await server.start()
  try {
    return await listingTokens(server.getUrl())
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
  return new Error(`Port ${port} is in use. Take another: npm start -- --port ${free}`)
}
