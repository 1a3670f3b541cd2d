// The gateways to compare: the program and the config of each, and the call of one tool in its format.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { installPackage, type PinnedPackage, scriptOf } from '../install-package.ts'
import { type BenchProgram, MAIN, programFile, UPSTREAM } from '../speed/targets.ts'

export interface GatewayToolCall {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

export interface ComparedGateway {
  readonly name: string
  /** Writes the config file that the gateway needs, if any, into an empty folder. Returns the program to start. */
  prepare(folder: string, servers: readonly string[]): Promise<BenchProgram>
  call(server: string, tool: string, args: Readonly<Record<string, unknown>>): GatewayToolCall
  /** Takes the text of the tool out of the text of the answer. */
  unwrap(text: string): string
}

const UPSTREAM_ENTRY = { command: process.execPath, args: [UPSTREAM] }

async function writeServers(file: string, servers: readonly string[]): Promise<void> {
  await writeFile(
    file,
    JSON.stringify({ mcpServers: Object.fromEntries(servers.map((name) => [name, UPSTREAM_ENTRY])) }),
  )
}

/** The other gateways, at pinned versions. */
export const peers = {
  broker: { name: 'mcp-broker', version: '0.3.0' },
  hub: { name: 'mcp-hub-mcp', version: '1.3.1' },
} as const
const { broker, hub } = peers

/**
 * Installs the gateway, unless it is cached, and returns the script of its command. The installation compiles native
 * code, so it takes minutes.
 */
export async function installPeer(peer: PinnedPackage): Promise<string> {
  return scriptOf(await installPackage(peer, { cache: 'toolcrib-peers', withScripts: true }), peer, peer.name)
}

const passThrough: ComparedGateway = {
  name: 'pass-through',
  async prepare(_folder, servers) {
    return {
      args: [programFile('pass-through'), JSON.stringify(servers.map((name) => [name, process.execPath, UPSTREAM]))],
    }
  },
  call: (server, tool, args) => ({ name: `${server}__${tool}`, arguments: args }),
  unwrap: (text) => text,
}

const mcpBroker: ComparedGateway = {
  name: `${broker.name} ${broker.version}`,
  async prepare(folder, servers) {
    await writeServers(join(folder, 'servers.json'), servers)
    const env = { HOME: folder, MCP_BROKER_HOME: folder }
    return { args: [await installPeer(broker), 'serve'], env }
  },
  call: (server_name, tool_name, args) => ({
    name: 'call_tools',
    arguments: { invocations: [{ server_name, tool_name, arguments: args }] },
  }),
  unwrap: (text) => text,
}

const mcpHub: ComparedGateway = {
  name: `${hub.name} ${hub.version}`,
  async prepare(folder, servers) {
    const file = join(folder, 'mcp.json')
    await writeServers(file, servers)
    return { args: [await installPeer(hub), '--config-path', file], env: { HOME: folder } }
  },
  call: (serverName, toolName, toolArgs) => ({ name: 'call-tool', arguments: { serverName, toolName, toolArgs } }),
  // The hub answers with the whole result of the server as JSON.
  unwrap(text) {
    const { content } = JSON.parse(text) as { readonly content: readonly [{ readonly text: string }] }
    return content[0].text
  },
}

const toolcrib: ComparedGateway = {
  name: 'toolcrib',
  async prepare(folder, servers) {
    const file = join(folder, 'config.json')
    const named = Object.fromEntries(servers.map((name) => [name, UPSTREAM_ENTRY]))
    // The other gateways do not cut results, so the limit is out of reach here.
    const config = { discovery: { servers: named }, limits: { maxResultTokens: 100_000_000 } }
    await writeFile(file, JSON.stringify(config))
    const env = { HOME: folder, XDG_CACHE_HOME: join(folder, 'cache'), XDG_STATE_HOME: join(folder, 'state') }
    return { args: [MAIN, 'serve', '--config', file], env }
  },
  call: (server, tool, args) => ({ name: 'execute_tool', arguments: { server, tool, arguments: args } }),
  unwrap: (text) => text,
}

export const OURS = toolcrib.name
export const gateways: readonly ComparedGateway[] = [passThrough, mcpBroker, mcpHub, toolcrib]
