// npm run chaos: random faults in 20 servers while clients call their tools. No answer may be lost, duplicated or
// misdelivered.

import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { removeFolder } from '../../src/storage/remove-folder.fixture.ts'
import { MARK, markedProcesses } from '../faults/processes.ts'
import { type ChaosClient, connectChaosClient, type Exchange } from './client.ts'
import { createFaults } from './faults.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string' },
    calls: { type: 'string' },
    seed: { type: 'string' },
    short: { type: 'boolean', default: false },
  },
})
const seconds = Number(values.seconds ?? (values.short ? 10 : 60))
const wantedCalls = Number(values.calls ?? (values.short ? 5_000 : 100_000))
const seed = Number(values.seed ?? Date.now() % 2 ** 31)
/** A slow machine gets more time for its calls, up to this limit. */
const MAX_SECONDS = Math.max(seconds * 10, 120)
const SERVERS = 20
const CLIENTS = 8
const CALLS_PER_CLIENT = 12
const FAULT_EVERY_MS = 120
const CALL_TIMEOUT_MS = 10_000
const STOP_MS = 15_000

const counts = { calls: 0, succeeded: 0, failed: 0, abandoned: 0, lost: 0, duplicated: 0, misdelivered: 0, orphans: 0 }
const codes = new Map<string, number>()
const complaints: string[] = []
/** The ids of the calls that succeeded. */
const succeeded = new Set<string>()
/** The server that each call was sent to. `compareLogs` compares both collections with the logs of the servers. */
const sentTo = new Map<string, string>()
const random = randomFrom(seed)
const folder = mkdtempSync(join(tmpdir(), 'toolcrib-chaos-'))
const mark = randomUUID()
const servers = Array.from({ length: SERVERS }, (_, at) => `server-${at + 1}`)
const configFile = join(folder, 'config.json')
const configWith = (edit: number) => ({
  audit: { file: join(folder, 'audit.jsonl') },
  limits: { callTimeoutMs: CALL_TIMEOUT_MS },
  discovery: {
    servers: Object.fromEntries(
      servers.map((name) => [name, { command: process.execPath, args: [scriptOf('server.js'), folder, name] }]),
    ),
    // An edit changes only the tags of one server's tools, so that no server starts again.
    toolRules: [{ server: servers[edit % SERVERS], tags: [`edit-${edit}`] }],
  },
})

writeFileSync(configFile, JSON.stringify(configWith(0)))
console.log(`chaos: seed ${seed}, ${seconds} s, ${wantedCalls} calls, ${SERVERS} servers, ${CLIENTS} clients`)
const gateway = startGateway()
try {
  const { port, token } = await addressOf(gateway)
  await callDuringFaults(port, token)
  await compareLogs()
  await stopGateway()
} finally {
  gateway.kill('SIGKILL')
  await removeOrphans()
  await removeFolder(folder)
}
report()

async function callDuringFaults(port: number, token: string): Promise<void> {
  const clients: ChaosClient[] = []
  const open = () => connectChaosClient(port, token, CALLS_PER_CLIENT)
  for (let at = 0; at < CLIENTS; at++) clients.push(await open())
  /** Clients that have disconnected on purpose. Their calls in flight have no answer. */
  const gone = new WeakSet<ChaosClient>()
  const opening = new Set<Promise<void>>()
  const faults = createFaults({
    folder,
    servers,
    configFile,
    configWith,
    random,
    disconnect() {
      const at = Math.floor(random() * clients.length)
      const client = clients[at]
      if (client === undefined || gone.has(client)) return
      gone.add(client)
      client.disconnect()
      const replaced = open().then((next) => {
        clients[at] = next
      })
      opening.add(replaced)
      void replaced.finally(() => opening.delete(replaced))
    },
  })
  const start = Date.now()
  const isOver = () => {
    const age = (Date.now() - start) / 1_000
    return age > MAX_SECONDS || (age >= seconds && counts.calls >= wantedCalls)
  }
  const worker = async (at: number) => {
    while (!isOver()) {
      // The calls are spread over the whole run, so that every fault meets some of them.
      const due = wantedCalls * Math.min(1, (Date.now() - start) / 1_000 / seconds)
      const client = clients[at]
      if (counts.calls > due || client === undefined || gone.has(client)) {
        await new Promise((resolve) => setTimeout(resolve, 5))
        continue
      }
      await callOnce(client, () => gone.has(client))
    }
  }
  const timer = setInterval(() => faults.next(), FAULT_EVERY_MS)
  await Promise.all(Array.from({ length: CLIENTS * CALLS_PER_CLIENT }, (_, index) => worker(index % CLIENTS)))
  clearInterval(timer)
  await faults.end()
  await Promise.all(opening)
  console.log(
    `${((Date.now() - start) / 1_000).toFixed(1)} s of faults: ${[...faults.counts].map(String).join(' ').replaceAll(',', '=')}`,
  )
  // After the faults, every server must work.
  const last = await open()
  for (const server of servers) {
    const answered = await retried(() => checkCall(last, server))
    if (!answered) complain('lost', `${server} does not work after the run`)
  }
  for (const client of [...clients, last]) client.disconnect()
}

async function callOnce(client: ChaosClient, isGone: () => boolean): Promise<void> {
  const server = servers[Math.floor(random() * SERVERS)] ?? ''
  const callId = `call-${++counts.calls}`
  sentTo.set(callId, server)
  try {
    checkAnswer(await client.call('execute_tool', { server, tool: 'echo', arguments: { callId } }), server, callId)
  } catch (error) {
    if (isGone()) counts.abandoned++
    else complain('lost', `${callId}: ${String(error)}`)
  }
}

function checkAnswer({ id, status, messages }: Exchange, server: string, callId: string): void {
  const answers = messages.filter((message) => message.result !== undefined || message.error !== undefined)
  const [answer] = answers
  if (answer === undefined) {
    complain('lost', `${callId}: HTTP ${status} without an answer`)
    return
  }
  if (answers.length > 1) complain('duplicated', `${callId}: ${answers.length} answers`)
  if (answer.id !== id) {
    complain('misdelivered', `${callId}: the answer has the id ${String(answer.id)}, not ${id}`)
    return
  }
  const content = answer.result?.structuredContent as Readonly<Record<string, unknown>> | undefined
  const result = content?.result as Readonly<Record<string, unknown>> | undefined
  if (answer.result?.isError === true) {
    const { code } = (content?.error ?? {}) as { readonly code?: string }
    codes.set(code ?? 'without a code', (codes.get(code ?? 'without a code') ?? 0) + 1)
    counts.failed++
    if (code === undefined) complain('lost', `${callId}: an error without a code: ${JSON.stringify(content)}`)
  } else if (result?.callId !== callId || result.server !== server) {
    complain('misdelivered', `${callId} of ${server} got ${JSON.stringify(content ?? answer.error)}`)
  } else {
    counts.succeeded++
    succeeded.add(callId)
  }
}

/** Checks that each call ran at most once, on the server that it was sent to, and that each successful call ran. */
async function compareLogs(): Promise<void> {
  const ran = new Set<string>()
  for (const server of servers) {
    const file = join(folder, `${server}.log`)
    for (const callId of existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []) {
      if (callId.startsWith('check')) continue
      if (ran.has(callId)) complain('duplicated', `${callId} ran twice`)
      if (sentTo.get(callId) !== server) complain('misdelivered', `${callId} ran on ${server}`)
      ran.add(callId)
    }
  }
  for (const callId of succeeded) if (!ran.has(callId)) complain('lost', `${callId} succeeded, but is in no log`)
}

async function checkCall(client: ChaosClient, server: string): Promise<boolean> {
  const args = { server, tool: 'echo', arguments: { callId: `check-${server}` } }
  const { messages } = await client.call('execute_tool', args)
  return messages.some(({ result }) => result !== undefined && result.isError !== true)
}

async function retried(attempt: () => Promise<boolean>): Promise<boolean> {
  for (let tries = 0; tries < 20; tries++) {
    if (await attempt()) return true
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  return false
}

function startGateway(): ChildProcess {
  const main = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))
  const env = { PATH: process.env.PATH, HOME: folder, [MARK]: mark }
  const args = [main, 'serve', '--http', '--port', '0', '--config', configFile]
  return spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
}

async function addressOf(child: ChildProcess): Promise<{ readonly port: number; readonly token: string }> {
  let printed = ''
  const port = await new Promise<number>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      printed += String(chunk)
      const [, found] = /http:\/\/127\.0\.0\.1:(\d+)\/mcp/.exec(printed) ?? []
      if (found !== undefined) resolve(Number(found))
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('exit', (code) => reject(new Error(`The gateway ended with ${code}: ${printed}`)))
  })
  const file = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) =>
    /(?:^|\/)toolcrib\/token$/.test(name),
  )
  if (file === undefined) throw new Error('The gateway has written no token.')
  return { port, token: readFileSync(join(folder, file), 'utf8').trim() }
}

async function stopGateway(): Promise<void> {
  if (gateway.exitCode !== null) return complain('lost', `the gateway ended with ${gateway.exitCode} during the run`)
  const ended = new Promise<number | null>((resolve) => gateway.once('exit', resolve))
  gateway.kill('SIGTERM')
  const late = new Promise<'late'>((resolve) => setTimeout(resolve, STOP_MS, 'late').unref())
  const code = await Promise.race([ended, late])
  if (code !== 0) complain('lost', `the gateway ended with ${String(code)}`)
}

/** Ends the processes that the gateway has left behind, and counts them. */
async function removeOrphans(): Promise<void> {
  for (let tries = 0; tries < 50 && markedProcesses(mark).length > 0; tries++)
    await new Promise((resolve) => setTimeout(resolve, 100))
  for (const pid of markedProcesses(mark)) {
    complain('orphans', `process ${pid} is left`)
    process.kill(pid, 'SIGKILL')
  }
}

function complain(kind: 'lost' | 'duplicated' | 'misdelivered' | 'orphans', reason: string): void {
  counts[kind]++
  if (complaints.length < 20) complaints.push(`${kind}: ${reason}`)
}

function report(): void {
  console.log(`errors: ${[...codes].map(([code, count]) => `${code} ${count}`).join(', ') || 'none'}`)
  console.log(
    Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(', '),
  )
  for (const complaint of complaints) console.log(`  ${complaint}`)
  const hasTooFewCalls = counts.calls < wantedCalls
  if (hasTooFewCalls) console.log(`  only ${counts.calls} of ${wantedCalls} calls in ${MAX_SECONDS} s`)
  process.exitCode =
    counts.lost + counts.duplicated + counts.misdelivered + counts.orphans > 0 || hasTooFewCalls ? 1 : 0
}

function scriptOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url))
}

/** A generator of random numbers with a seed (mulberry32). */
function randomFrom(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
