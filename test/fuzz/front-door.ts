// Sends mutated messages to the built program. Over stdio, a ping after them must get one answer. Over HTTP, no answer
// may have a status of 500 or more.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { removeFolder } from '../../src/storage/remove-folder.fixture.ts'
import { mutated } from './mutations.ts'

const ANSWER_MS = 20_000
const VERSION = '2025-11-25'
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const rpc = (body: object) => JSON.stringify({ jsonrpc: '2.0', ...body })
const INITIALIZE = { protocolVersion: VERSION, capabilities: {}, clientInfo: { name: 'fuzz', version: '1.0.0' } }

/** Messages of real clients in both protocol versions. */
const TRAFFIC: readonly string[] = [
  rpc({ id: 1, method: 'initialize', params: INITIALIZE }),
  rpc({ method: 'notifications/initialized' }),
  rpc({ id: 2, method: 'tools/list', params: {} }),
  rpc({ id: 'a', method: 'tools/list', params: { cursor: 'x', _meta: META } }),
  rpc({ id: 3, method: 'tools/call', params: { name: 'search_tools', arguments: { query: 'read a note', limit: 3 } } }),
  rpc({
    id: 4,
    method: 'tools/call',
    params: { name: 'execute_tool', arguments: { server: 'notes', tool: 'add', arguments: { a: 1, b: 2 } } },
  }),
  rpc({
    id: 5,
    method: 'tools/call',
    params: { name: 'get_tool_details', arguments: { server: 'notes', tool: 'add' }, _meta: { progressToken: 7 } },
  }),
  rpc({ id: 6, method: 'tools/call', params: { name: 'list_servers', arguments: {}, _meta: META } }),
  rpc({ id: 7, method: 'server/discover', params: { _meta: META } }),
  rpc({ id: 8, method: 'resources/read', params: { uri: 'x://y' } }),
  rpc({ id: 9, method: 'logging/setLevel', params: { level: 'debug' } }),
  rpc({ method: 'notifications/cancelled', params: { requestId: 4, reason: 'x' } }),
  rpc({ id: 10, result: { roots: [] } }),
  rpc({ id: 11, error: { code: -1, message: 'no' } }),
  `[${rpc({ id: 12, method: 'ping' })},${rpc({ method: 'x' })}]`,
]

interface FuzzedDoor {
  readonly property: () => fc.IAsyncProperty<unknown>
  close(): Promise<void>
}

export async function openStdioDoor(): Promise<FuzzedDoor> {
  const { child, close } = startProgram([])
  const waiting = new Map<string, () => void>()
  const answered = new Set<string>()
  let fault: string | undefined
  createInterface({ input: child.stdout ?? process.stdin }).on('line', (line) => {
    try {
      const message = JSON.parse(line) as { readonly jsonrpc?: unknown; readonly id?: unknown }
      if (message.jsonrpc !== '2.0' && !Array.isArray(message))
        fault ??= `a line without jsonrpc: ${line.slice(0, 200)}`
      const id = String(message.id)
      if (!id.startsWith('probe-')) return
      if (answered.has(id)) fault ??= `two answers to ${id}`
      answered.add(id)
      waiting.get(id)?.()
    } catch {
      fault ??= `a line on stdout that is not JSON: ${line.slice(0, 200)}`
    }
  })
  const write = (line: string) => child.stdin?.write(`${line}\n`)
  let probes = 0
  const probe = async () => {
    const id = `probe-${++probes}`
    const came = new Promise<void>((resolve) => waiting.set(id, resolve))
    write(rpc({ id, method: 'ping' }))
    await unlessLate(came, `no answer to a ping in ${ANSWER_MS} ms`)
    waiting.delete(id)
  }
  write(rpc({ id: 0, method: 'initialize', params: INITIALIZE }))
  write(rpc({ method: 'notifications/initialized' }))
  await probe()
  return {
    property: () =>
      fc.asyncProperty(fc.array(mutated(TRAFFIC, 3), { minLength: 1, maxLength: 20 }), async (lines) => {
        // A line end inside a text makes two messages of it, which is allowed.
        for (const line of lines) write(line)
        await probe()
        if (child.exitCode !== null) throw new Error(`The program ended with ${child.exitCode}.`)
        if (fault !== undefined) throw new Error(fault)
      }),
    close,
  }
}

export async function openHttpDoor(): Promise<FuzzedDoor> {
  const { child, folder, close } = startProgram(['--http', '--port', '0'])
  const port = await portOf(child)
  const file = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) => /toolcrib\/token$/.test(name))
  const token = readFileSync(join(folder, file ?? ''), 'utf8').trim()
  const post = async (body: string, more: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: 'POST',
      body,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...more,
      },
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    return { status: response.status, text: await response.text(), session: response.headers.get('mcp-session-id') }
  }
  const { session } = await post(TRAFFIC[0] ?? '')
  const legacy = { 'mcp-session-id': session ?? '', 'mcp-protocol-version': VERSION }
  const headers = fc.constantFrom<Readonly<Record<string, string>>[]>(
    legacy,
    {},
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'search_tools' },
    { 'mcp-protocol-version': '1999-01-01' },
    { 'mcp-session-id': 'unknown' },
    { 'content-type': 'text/plain' },
  )
  return {
    property: () =>
      fc.asyncProperty(mutated(TRAFFIC, 3), headers, async (body, more) => {
        const { status, text } = await post(body, more)
        if (status >= 500) throw new Error(`HTTP ${status}: ${text.slice(0, 500)}`)
        if (child.exitCode !== null) throw new Error(`The program ended with ${child.exitCode}.`)
      }),
    close,
  }
}

function startProgram(args: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'toolcrib-fuzz-'))
  const config = join(folder, 'config.json')
  const server = fileURLToPath(new URL('../fixtures/upstream/changing-list.js', import.meta.url))
  writeFileSync(
    config,
    JSON.stringify({ discovery: { servers: { notes: { command: process.execPath, args: [server] } } } }),
  )
  const main = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))
  const child = spawn(process.execPath, [main, 'serve', ...args, '--config', config], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  if (args.length === 0) child.stderr.resume()
  const close = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    if (child.exitCode === null) {
      child.kill('SIGTERM')
      await ended
    }
    await removeFolder(folder)
  }
  return { child, folder, close }
}

function portOf(child: ChildProcess): Promise<number> {
  let printed = ''
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer) => {
      printed += String(chunk)
      const [, port] = /http:\/\/127\.0\.0\.1:(\d+)\/mcp/.exec(printed) ?? []
      if (port !== undefined) resolve(Number(port))
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('exit', () => reject(new Error(`The gateway has ended: ${printed}`)))
  })
}

async function unlessLate(work: Promise<void>, reason: string): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(reason)), ANSWER_MS)
  })
  await Promise.race([work, late]).finally(() => clearTimeout(timer))
}
