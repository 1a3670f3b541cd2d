// Three ways to call the same tool over stdio: directly, through the pass-through, and through toolcrib.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

export const UPSTREAM = programFile('upstream')
export const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))
export const SERVERS = ['alpha', 'beta', 'gamma', 'delta', 'omega'] as const

export interface Target {
  readonly name: string
  /** The process that receives the calls; undefined if there are several, or if it is not measured. */
  readonly pid?: number | undefined
  /** Resolves to the text of the tool. */
  call(server: number, tool: string, args: Readonly<Record<string, unknown>>): Promise<string>
  close(): Promise<void>
}

export function programFile(name: string): string {
  return fileURLToPath(new URL(`./programs/${name}.js`, import.meta.url))
}

export interface BenchProgram {
  readonly args: readonly string[]
  readonly command?: string
  readonly env?: Readonly<Record<string, string>>
}

export async function connect({ command = process.execPath, args, env = {} }: BenchProgram) {
  const client = new Client({ name: 'bench', version: '1.0.0' })
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    env: { PATH: process.env.PATH ?? '', ...env },
    stderr: 'ignore',
  })
  await client.connect(transport)
  return { client, pid: transport.pid ?? undefined }
}

export async function textOf(client: Client, name: string, args: Readonly<Record<string, unknown>>): Promise<string> {
  const { content, isError } = await client.callTool({ name, arguments: args })
  const [block] = content
  if (isError === true || block?.type !== 'text') throw new Error(`${name} failed: ${JSON.stringify(content)}`)
  return block.text
}

/** Connects one client of this process to each server. */
export async function openDirect(names: readonly string[] = SERVERS): Promise<Target> {
  const clients = await Promise.all(names.map(async () => (await connect({ args: [UPSTREAM] })).client))
  return {
    name: 'direct',
    call(server, tool, args) {
      const client = clients[server % clients.length]
      if (client === undefined) throw new Error('There is no server.')
      return textOf(client, tool, args)
    },
    async close() {
      await Promise.all(clients.map((client) => client.close()))
    },
  }
}

/** `isModern`: calls the servers in the modern era, which costs more. Otherwise in the legacy era, as toolcrib does. */
export async function openPassThrough(names: readonly string[] = SERVERS, isModern = false): Promise<Target> {
  const servers = names.map((name) => [name, process.execPath, UPSTREAM])
  const args = [programFile('pass-through'), JSON.stringify(servers), ...(isModern ? ['modern'] : [])]
  const { client, pid } = await connect({ args })
  return {
    name: isModern ? 'modern-pass-through' : 'pass-through',
    pid,
    call: (server, tool, args) => textOf(client, `${names[server % names.length]}__${tool}`, args),
    close: () => client.close(),
  }
}

export interface ToolcribTargetOptions {
  readonly name?: string
  /** The names of the servers behind the gateway. */
  readonly servers?: readonly string[]
  /** A program to start instead of `toolcrib serve`. */
  readonly program?: string
  readonly upstreamArgs?: readonly string[]
  readonly discovery?: Readonly<Record<string, unknown>>
  readonly config?: Readonly<Record<string, unknown>>
}

/** Writes a config into a new folder, which also holds cache and state. */
export async function writeCribFiles(options: ToolcribTargetOptions = {}) {
  const { servers: names = SERVERS, upstreamArgs = [], discovery, config } = options
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-bench-'))
  const servers = Object.fromEntries(
    names.map((name) => [name, { command: process.execPath, args: [UPSTREAM, ...upstreamArgs] }]),
  )
  const file = join(folder, 'config.json')
  await writeFile(file, JSON.stringify({ ...config, discovery: { servers, ...discovery } }))
  return {
    config: file,
    env: { HOME: folder, XDG_CACHE_HOME: join(folder, 'cache'), XDG_STATE_HOME: join(folder, 'state') },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

export async function openCrib(options: ToolcribTargetOptions = {}): Promise<Target> {
  const { name = 'toolcrib', servers = SERVERS, program } = options
  const files = await writeCribFiles(options)
  const args = program === undefined ? [MAIN, 'serve', '--config', files.config] : [program, files.config]
  const { client, pid } = await connect({ args, env: files.env })
  return {
    name,
    pid,
    call: (server, tool, args) =>
      textOf(client, 'execute_tool', { server: servers[server % servers.length], tool, arguments: args }),
    async close() {
      await client.close()
      await files.remove()
    },
  }
}
