// Two ways to call the same tool over Streamable HTTP: a server of the SDK, and `toolcrib serve --http` over stdio servers.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { killOnExit } from './kill-on-exit.ts'
import { MAIN, programFile, SERVERS, type Target, textOf, writeCribFiles } from './targets.ts'

export type HttpEra = 'legacy' | 'modern'

interface Served {
  readonly child: ChildProcess
  readonly line: string
}

/** Starts a program that prints one line when it listens. */
async function startServer(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Served> {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  child.once('exit', killOnExit(child))
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  return { child, line: String(line) }
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill()
  await ended
}

async function connectHttp(url: string, era: HttpEra): Promise<Client> {
  const mode = era === 'legacy' ? era : { pin: '2026-07-28' }
  const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  return client
}

export interface HttpTargetServer {
  readonly targets: readonly Target[]
  close(): Promise<void>
}

export async function serveDirect(eras: readonly HttpEra[]): Promise<HttpTargetServer> {
  const { child, line } = await startServer([programFile('http-upstream')])
  const targets = eras.map(async (era): Promise<Target> => {
    const client = await connectHttp(`${line}/${era}`, era)
    return {
      name: `direct-${era}`,
      pid: child.pid,
      call: (_server, tool, args) => textOf(client, tool, args),
      close: () => client.close(),
    }
  })
  return { targets: await Promise.all(targets), close: () => end(child) }
}

export async function serveCrib(eras: readonly HttpEra[]): Promise<HttpTargetServer> {
  const files = await writeCribFiles()
  const args = [MAIN, 'serve', '--http', '--port', '0', '--no-auth', '--quiet', '--config', files.config]
  const { child, line } = await startServer(args, files.env)
  const targets = eras.map(async (era): Promise<Target> => {
    const client = await connectHttp(line, era)
    return {
      name: `toolcrib-${era}`,
      pid: child.pid,
      call: (server, tool, args) =>
        textOf(client, 'execute_tool', { server: SERVERS[server % SERVERS.length], tool, arguments: args }),
      close: () => client.close(),
    }
  })
  return {
    targets: await Promise.all(targets),
    async close() {
      await end(child)
      await files.remove()
    },
  }
}
