// npm run bench:shared: the processes and the memory of three clients with one shared gateway, and with a gateway each.

import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const CLIENTS = ['cursor', 'claude-code', 'vscode']
const SERVERS = 10
const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const server = fileURLToPath(new URL('../examples/servers/notes/server.js', import.meta.url))

interface Figures {
  readonly processes: number
  /** Shared pages are divided among the processes that use them. */
  readonly megabytes: number
  /** From the start of the clients until each has called a tool of each server. */
  readonly ms: number
}

const [alone, shared] = [await measure([]), await measure(['--shared'])]
console.log(`${CLIENTS.length} clients, ${SERVERS} servers, one call to each server from each client\n`)
console.log('|  | processes | memory | until every call is answered |\n|---|---|---|---|')
for (const [name, { processes, megabytes, ms }] of [
  ['three gateways', alone],
  ['one shared gateway', shared],
] as const) {
  console.log(`| ${name} | ${processes} | ${Math.round(megabytes)} MB | ${(ms / 1_000).toFixed(1)} s |`)
}
const ratio = (of: (figures: Figures) => number) => (of(shared) / of(alone)).toFixed(2)
console.log(
  `| ratio | ${ratio((one) => one.processes)} | ${ratio((one) => one.megabytes)} | ${ratio((one) => one.ms)} |`,
)
if (shared.processes >= alone.processes || shared.megabytes >= alone.megabytes) process.exitCode = 1

async function measure(flags: readonly string[]): Promise<Figures> {
  const home = await mkdtemp(join(tmpdir(), 'toolcrib-shared-'))
  const servers = Object.fromEntries(
    Array.from({ length: SERVERS }, (_, at) => [`notes-${at}`, { command: process.execPath, args: [server] }]),
  )
  const config = join(home, 'config.json')
  await writeFile(config, JSON.stringify({ discovery: { servers }, limits: { sharedIdleMs: 100 } }))
  const env = { PATH: process.env.PATH ?? '', HOME: home, XDG_STATE_HOME: join(home, 'state') }
  const startedAt = performance.now()
  const clients = await Promise.all(
    CLIENTS.map(async (name) => {
      const args = [main, 'serve', '--config', config, '--client', name, ...flags]
      const client = new Client({ name, version: '1.0.0' })
      await client.connect(new StdioClientTransport({ command: process.execPath, args, env, cwd: home }))
      for (const one of Object.keys(servers)) await call(client, one)
      return client
    }),
  )
  const ms = performance.now() - startedAt
  const found = processesOf(home)
  const megabytes = found.map(memoryOf).reduce((sum, one) => sum + one, 0)
  await Promise.all(clients.map((client) => client.close()))
  while (processesOf(home).length > 0) await sleep(50)
  await rm(home, { recursive: true })
  return { processes: found.length, megabytes, ms }
}

async function call(client: Client, server: string): Promise<void> {
  const result = await client.callTool({
    name: 'execute_tool',
    arguments: { server, tool: 'find-broken-links', arguments: {} },
  })
  if (result.isError === true) throw new Error(JSON.stringify(result.content))
}

/** The processes that run with this home. */
function processesOf(home: string): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && readProc(pid, 'environ').includes(`HOME=${home}\0`))
}

function memoryOf(pid: number): number {
  const [, kilobytes = '0'] = /^Pss:\s+(\d+)/m.exec(readProc(pid, 'smaps_rollup')) ?? []
  return Number(kilobytes) / 1_024
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    // The process has ended.
    return ''
  }
}
