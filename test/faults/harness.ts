// The built program with five healthy servers and hostile ones, and the checks that follow every test.

import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, vi } from 'vitest'
import type { GatewayClient } from '../e2e/gateway/client.ts'
import {
  openGateway,
  type RunningGateway,
  type TestConnectOptions,
  type TestGatewayOptions,
} from '../e2e/gateway/harness.ts'
import { createHome, type GatewayHome } from '../e2e/gateway/home.ts'
import { fixtureServer, type ServerEntry, withEnv } from '../e2e/gateway/servers.ts'
import { MARK, markedProcesses } from './processes.ts'

export const HEALTHY: readonly string[] = ['one', 'two', 'three', 'four', 'five'].map((name) => `healthy-${name}`)
/** True with `npm run test:faults -- --long`: some tests make more calls or run longer than fits into CI. */
export const isLong = process.env.FAULTS_LONG === '1'
if (process.platform !== 'linux') throw new Error('test/faults finds processes in /proc, so it needs Linux.')
const SOON = { timeout: 15_000, interval: 20 }

/** A config without its servers. */
interface FaultConfig {
  readonly discovery?: Readonly<Record<string, unknown>>
  readonly limits?: Readonly<Record<string, number>>
  readonly audit?: Readonly<Record<string, unknown>>
  readonly [key: string]: unknown
}

export interface FaultOptions extends Omit<TestGatewayOptions, 'config' | 'program'> {
  /** The servers besides the healthy ones. */
  readonly servers?: Readonly<Record<string, object>>
  readonly config?: FaultConfig
  /** The path of the audit log, if it is not in the home. */
  readonly auditFile?: string
}

export interface AuditLine {
  readonly server: string
  readonly tool: string
  readonly outcome: string
  readonly [key: string]: unknown
}

export interface FaultGateway extends Omit<RunningGateway, 'close' | 'started'> {
  /** The port of the MCP endpoint, only over HTTP. */
  readonly port: number
  /** The headers of a client that has the token of the gateway. */
  readonly headers: Readonly<Record<string, string>>
  /** Connects a client. Its calls are counted, and compared with the audit log after the test. */
  connect(options?: TestConnectOptions): Promise<GatewayClient>
  /** Counts calls that the test sends in another way. A negative number is for calls that must not be recorded. */
  attempted(count: number): void
  /** The complete lines of the audit log. */
  records(): readonly AuditLine[]
  /** All running processes that the gateway has started, with their descendants. */
  processes(): readonly number[]
  /** The whole config with these settings and servers. */
  configWith(config: FaultConfig, servers?: Readonly<Record<string, object>>): object
  /** Tells the harness that the test has ended the process. Up to `lostRecords` calls may have no audit record. */
  markEnded(lostRecords?: number): void
}

/**
 * An upper bound for a time, longer on a busy machine: with three runnable tasks per core, everything takes three times
 * as long. On an idle machine it is `ms`.
 */
export function atMost(ms: number): number {
  return ms * Math.max(1, (loadavg()[0] ?? 0) / availableParallelism())
}

/** Prints a value that a test measured. */
export function report(line: string): void {
  process.stdout.write(`  ${line}\n`)
}

/** The hostile server in one of its modes, below a shell as if `npx` or a script had started it. */
export function hostile(mode = 'plain', env: Readonly<Record<string, string>> = {}): ServerEntry {
  const path = fileURLToPath(new URL('../../build/test/faults/hostile-server.js', import.meta.url))
  if (!existsSync(path)) throw new Error(`${path} is not built: run \`npx tsc -p tsconfig.tools.json\` first.`)
  // `exit $?` prevents the shell from replacing itself with the last command.
  const args = ['-c', '"$0" "$@"; exit $?', process.execPath, path, mode]
  return withEnv({ connection: { type: 'stdio', command: '/bin/sh', args } }, env)
}

/** Starts a gateway for one test. */
export async function faultGateway(options: FaultOptions): Promise<FaultGateway> {
  const { gateway, check, close } = await open(options)
  onTestFinished(async () => {
    await check().finally(close)
  })
  return gateway
}

/** Starts one gateway for all tests of the suite. The checks follow every test. */
export function useFaultGateway(options: FaultOptions | (() => FaultOptions)): () => FaultGateway {
  let opened: Awaited<ReturnType<typeof open>> | undefined
  beforeAll(async () => {
    opened = await open(typeof options === 'function' ? options() : options)
  })
  afterEach(() => opened?.check())
  afterAll(() => opened?.close())
  return () => {
    if (opened === undefined) throw new Error('The gateway is not running.')
    return opened.gateway
  }
}

/**
 * `check` expects that the healthy servers answer, and that there are as many audit records as calls. If the test has
 * ended the gateway, `check` calls the healthy servers through a new gateway on the same home. `close` ends the gateway
 * and expects that no process is left.
 */
async function open(options: FaultOptions) {
  const { servers = {}, config = {}, home = createHome(), ...rest } = options
  const mark = randomUUID()
  const configWith = (added: FaultConfig, more: Readonly<Record<string, object>> = servers) => ({
    ...added,
    limits: { maxAuditBytes: 2 ** 30, ...added.limits },
    discovery: {
      listWaitMs: 30_000,
      ...added.discovery,
      servers: { ...Object.fromEntries(HEALTHY.map((name) => [name, fixtureServer('toolbox')])), ...more },
    },
  })
  const settings = { ...rest, home, env: { ...options.env, [MARK]: mark }, config: configWith(config) }
  const running = await openGateway(settings)
  let [attempts, lost] = [0, 0]
  let hasEnded = false
  let checker: GatewayClient | undefined
  /** The token of the first client is valid for the checks too. */
  let token: string | undefined
  const auditFile = options.auditFile ?? `${home.state}/audit.jsonl`
  const records = () => recordsIn(auditFile)
  const processes = () => markedProcesses(mark).filter((pid) => pid !== running.pid)

  const count = (client: GatewayClient): GatewayClient => ({
    ...client,
    ask(tool, args) {
      if (tool === 'execute_tool' && !isNextPart(args)) attempts++
      return client.ask(tool, args)
    },
    run(args, more) {
      if (!isNextPart(args)) attempts++
      return client.run(args, more)
    },
  })
  const gateway: FaultGateway = {
    home,
    get url() {
      return running.url
    },
    get pid() {
      return running.pid
    },
    get stdout() {
      return running.stdout
    },
    get stderr() {
      return running.stderr
    },
    get port() {
      return Number(new URL(running.url).port)
    },
    get token() {
      return running.token
    },
    get headers() {
      return { authorization: `Bearer ${readFileSync(`${home.state}/token`, 'utf8').trim()}` }
    },
    async connect(given) {
      const client = count(await running.connect(given))
      token ??= given?.token
      if (options.door !== 'http') checker = client
      return client
    },
    attempted(more) {
      attempts += more
    },
    records,
    processes,
    configWith,
    edit: (edited) => running.edit(edited),
    kill: () => running.kill(),
    markEnded(lostRecords = 0) {
      hasEnded = true
      lost = lostRecords
    },
  }

  const expectRecords = async () => {
    await vi.waitUntil(() => countRecords(auditFile) >= attempts - lost, SOON).catch(() => {})
    const found = countRecords(auditFile)
    expect(found, 'audit records').toBeLessThanOrEqual(attempts)
    expect(found, 'audit records').toBeGreaterThanOrEqual(attempts - lost)
  }
  const check = async () => {
    if (hasEnded) {
      await expectRecords()
      await expectNextGateway(home, settings)
      return
    }
    checker ??= await gateway.connect(token === undefined ? {} : { token })
    await expectHealthy(checker)
    await expectRecords()
  }
  const close = async () => {
    await running.close()
    await vi.waitUntil(() => processes().length === 0, SOON).catch(() => {})
    const left = processes().map(commandOf)
    if (options.home === undefined) await home.remove()
    expect(left, 'processes that are left').toEqual([])
  }
  return { gateway, check, close }
}

/** Whether a call reads the next part of a cut result. Such a call reaches no server and has no audit record. */
function isNextPart(args: Readonly<Record<string, unknown>> = {}): boolean {
  return 'handle' in args
}

/** Expects that every healthy server answers a call. */
async function expectHealthy(client: GatewayClient): Promise<void> {
  const answers = HEALTHY.map((server) => client.run({ server, tool: 'pid' }))
  for (const answer of await Promise.all(answers)) {
    expect(answer.structuredContent).toMatchObject({ success: true, result: { pid: expect.any(Number) } })
  }
}

/** Expects that a new gateway reaches the healthy servers with the files that the ended gateway has left. */
async function expectNextGateway(home: GatewayHome, settings: TestGatewayOptions): Promise<void> {
  const next = await openGateway({ ...settings, home, door: 'stdio' })
  try {
    await expectHealthy(await next.connect())
  } finally {
    await next.close()
  }
}

/**
 * Counts the records of calls without parsing them, because the long form has 100,000. A strict log also has a line for
 * the start of each call.
 */
function countRecords(file: string): number {
  if (!existsSync(file)) return 0
  const text = readFileSync(file, 'latin1')
  const count = (part: string) => text.split(part).length - 1
  return count('\n') - count('"event":"started"')
}

function recordsIn(file: string): readonly AuditLine[] {
  if (!existsSync(file)) return []
  const text = readFileSync(file, 'utf8')
  // The last line may still be written.
  const complete = text.slice(0, text.lastIndexOf('\n') + 1)
  return complete
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as AuditLine) // the gateway's own lines; the tests check their fields
}

function commandOf(pid: number): string {
  try {
    return `${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`
  } catch {
    return `${pid} (ended meanwhile)`
  }
}
