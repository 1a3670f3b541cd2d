// Runs the built program with its own home folder, so that an example does not change the files of the user.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

/** The folder of the project. This file runs from build/examples/shared. */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
export const PROGRAM = join(ROOT, 'dist', 'cli', 'main.js')

export interface Workspace extends AsyncDisposable {
  readonly home: string
  readonly env: Record<string, string>
  /** Writes a JSON file below the home folder. */
  write(path: string, content: object): void
  /** Runs a command, and returns what it prints on stdout. Throws if it fails. */
  run(...words: readonly string[]): Promise<string>
  /** A client of the official SDK that starts the command and speaks stdio with it. */
  connect(...words: readonly string[]): Promise<Client>
  /** Starts `toolcrib serve --http` on a free port, and returns its address. */
  serveHttp(...words: readonly string[]): Promise<string>
}

export function createWorkspace(): Workspace {
  const home = mkdtempSync(join(tmpdir(), 'toolcrib-example-'))
  const clients: Client[] = []
  const servers: ChildProcess[] = []
  const env = environmentOf(home)
  return {
    home,
    env,
    write(path, content) {
      const file = join(home, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, JSON.stringify(content, null, 2))
    },
    run: (...words) =>
      new Promise((resolve, reject) => {
        execFile(process.execPath, [PROGRAM, ...words], { cwd: home, env }, (error, stdout, stderr) =>
          error === null ? resolve(stdout) : reject(new Error(`toolcrib ${words.join(' ')} failed:\n${stderr}`)),
        )
      }),
    async connect(...words) {
      const client = new Client({ name: 'example', version: '1.0.0' })
      clients.push(client)
      const command = { command: process.execPath, args: [PROGRAM, ...words] }
      await client.connect(new StdioClientTransport({ ...command, cwd: home, env, stderr: 'ignore' }))
      return client
    },
    async serveHttp(...words) {
      const args = [PROGRAM, 'serve', '--http', '--port', '0', '--json', ...words]
      const server = spawn(process.execPath, args, { cwd: home, env, stdio: ['ignore', 'pipe', 'ignore'] })
      servers.push(server)
      for await (const line of createInterface({ input: server.stdout })) {
        const [address] = /http:\/\/[^"]*\/mcp/.exec(line) ?? []
        if (address !== undefined) return address
      }
      throw new Error('The gateway ended before it listened.')
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.close()))
      await Promise.all(servers.map(stop))
      await rm(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Connects a client to an address, with a token if one is given. */
export async function connectTo(address: string, token?: string): Promise<Client> {
  const client = new Client({ name: 'example', version: '1.0.0' })
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }))
  return client
}

/** Calls a tool, and returns its first text, parsed if it is JSON. Throws if the tool fails. */
export async function callTool(client: Client, name: string, args: Record<string, unknown> = {}): Promise<unknown> {
  const result = await client.callTool({ name, arguments: args })
  const text = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : []))[0] ?? ''
  if (result.isError === true) throw new Error(`${name} failed: ${text}`)
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The names of the tools that a client lists. */
export async function listedNames(client: Client): Promise<readonly string[]> {
  const { tools } = await client.listTools()
  return tools.map(({ name }) => name)
}

/** The script of a server that is installed with this project. */
export function installedServer(name: string): string {
  return join(ROOT, 'node_modules', '@modelcontextprotocol', `server-${name}`, 'dist', 'index.js')
}

/** A config with some of examples/servers. */
export function configWith(...names: readonly ('notes' | 'shop' | 'tracker')[]): object {
  const servers = names.map((name) => [name, { command: process.execPath, args: [exampleServer(name)] }])
  return { discovery: { servers: Object.fromEntries(servers), ...LONG_LIST_WAIT } }
}

/** On a busy machine a server can take longer to start than the default of five seconds. */
export const LONG_LIST_WAIT = { listWaitMs: 60_000 }

/** The compiled script of one of examples/servers. */
export function exampleServer(name: 'notes' | 'shop' | 'tracker'): string {
  return join(ROOT, 'dist', 'examples', 'servers', name, 'server.js')
}

function environmentOf(home: string): Record<string, string> {
  const isOurs = (name: string) => /^(?:XDG_|TOOLCRIB_|TOOL_LOADING$|LAZY_MODE$)/.test(name)
  const kept = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || isOurs(name) ? [] : [[name, value] as const],
  )
  return { ...Object.fromEntries(kept), HOME: home, USERPROFILE: home, APPDATA: join(home, 'AppData'), NO_COLOR: '1' }
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = new Promise((resolve) => server.once('exit', resolve))
  server.kill()
  await ended
}
