// Runs the built program over stdio or HTTP, and checks that no process is left when it ends.

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, onTestFinished, vi } from 'vitest'
import { citing } from '../citing.ts'
import { type ClientSettings, connectClient, eras, type GatewayClient, type ProtocolEra } from './client.ts'
import { createHome, type GatewayHome } from './home.ts'
import { endChild, expectGone, startedBy } from './processes.ts'
import { gatewayRequirements } from './requirements.ts'

export type DoorName = 'stdio' | 'http'

export interface GatewayCombination {
  readonly door: DoorName
  readonly era: ProtocolEra
}

export const combinations: readonly GatewayCombination[] = (['stdio', 'http'] as const).flatMap((door) =>
  eras.map((era) => ({ door, era })),
)
/** The name of a suite that runs once for each combination. */
export const OVER = 'over $door in the $era era'

export interface TestGatewayOptions {
  /** The default is stdio, because it starts faster and most scenarios have one client. */
  readonly door?: DoorName
  /** The content of the `--config` file. Without it, the program searches for a config. */
  readonly config?: unknown
  /** Additional variables. */
  readonly env?: Readonly<Record<string, string>>
  /** Another program with its arguments, instead of `toolcrib`. Over HTTP it must print its address in the same way. */
  readonly program?: readonly string[]
  /** Replaces the arguments `serve`, `--http` and `--config`. */
  readonly args?: readonly string[]
  /** The working directory of the program, relative to its home. */
  readonly cwd?: string
  /** A home that the caller removes. By default, the gateway gets its own home. */
  readonly home?: GatewayHome
  /** The maximum time until the program prints its address over HTTP. */
  readonly startMs?: number
}

export interface TestConnectOptions extends ClientSettings {
  /** The default is the token of the token file. */
  readonly token?: string
}

export interface RunningGateway {
  readonly home: GatewayHome
  /** The MCP endpoint over HTTP; `stdio://` over stdio. */
  readonly url: string
  readonly pid: number
  /** The output so far. */
  readonly stdout: string
  readonly stderr: string
  connect(options?: TestConnectOptions): Promise<GatewayClient>
  /** The token that the gateway generated, from its token file. */
  readonly token: string | undefined
  /** The running processes that the gateway has started. */
  started(): readonly number[]
  edit(config: unknown): void
  /** Kills the process, as a crash or `kill -9` would. */
  kill(): Promise<void>
  /** Ends the gateway. Fails if a process is left. */
  close(): Promise<void>
}

/** Names the requirements that a scenario tests. */
export const covers = citing(gatewayRequirements)

/** Starts a gateway for all scenarios of the suite. */
export function useGateway(options: TestGatewayOptions | (() => TestGatewayOptions)): () => RunningGateway {
  let running: RunningGateway | undefined
  beforeAll(async () => {
    running = await openGateway(typeof options === 'function' ? options() : options)
  })
  afterAll(() => running?.close())
  return () => live(running)
}

/** Starts a gateway with one client for all scenarios of the suite. */
export function useClient(options: TestGatewayOptions | (() => TestGatewayOptions), settings: TestConnectOptions = {}) {
  const gateway = useGateway(options)
  let client: GatewayClient | undefined
  beforeAll(async () => {
    client = await gateway().connect(settings)
  })
  return { gateway, client: () => live(client) }
}

/** Connects a client for each combination. Over HTTP they share a gateway; over stdio each has its own. */
export function useEveryClient(options: TestGatewayOptions, settings: ClientSettings = {}) {
  const home = options.home ?? createHome()
  const gateways: RunningGateway[] = []
  const clients = new Map<string, GatewayClient>()
  const open = async (door: DoorName, served: readonly ProtocolEra[]) => {
    const gateway = await openGateway({ ...options, home, door })
    gateways.push(gateway)
    for (const era of served) clients.set(`${door} ${era}`, await gateway.connect({ ...settings, era }))
  }
  beforeAll(async () => {
    await open('http', eras)
    // This gateway lists the servers once and caches their manifests; the others read the cache.
    await clients.get('http legacy')?.ask('search_tools', { query: 'anything' })
    await Promise.all(eras.map((era) => open('stdio', [era])))
  })
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()))
    if (options.home === undefined) await home.remove()
  })
  return {
    home,
    clientOf: ({ door, era }: GatewayCombination) => live(clients.get(`${door} ${era}`)),
    /** The gateway over HTTP, for more clients. */
    shared: () => live(gateways[0]),
  }
}

function live<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The gateway is not running.')
  return value
}

/** Starts a gateway and ends it after the test. */
export async function gatewayForTest(options: TestGatewayOptions): Promise<RunningGateway> {
  const gateway = await openGateway(options)
  onTestFinished(() => gateway.close())
  return gateway
}

/** Starts a gateway over HTTP. Over stdio, the first `connect` starts the gateway, and only one client can connect. */
export async function openGateway(options: TestGatewayOptions): Promise<RunningGateway> {
  const { door = 'stdio', env = {} } = options
  const home = options.home ?? createHome()
  const edit = (config: unknown) =>
    void home.write('gateway.json', typeof config === 'string' ? config : JSON.stringify(config))
  if (options.config !== undefined) edit(options.config)
  const config = options.config === undefined ? [] : ['--config', home.config]
  const args = options.args ?? ['serve', ...(door === 'http' ? ['--http', '--port', '0'] : []), ...config]
  const program = {
    args: options.program ?? [mainPath(), ...args],
    env: { ...home.env, ...env },
    cwd: home.at(options.cwd ?? ''),
  }
  const process = await (door === 'http' ? startHttp(program, options.startMs) : stdioProgram(program)).catch(
    async (error) => {
      if (options.home === undefined) await home.remove()
      throw error
    },
  )
  const clients = new Set<GatewayClient>()
  const everStarted = new Set<number>()
  const started = () => {
    // Over stdio there is no process before the first client.
    const now = process.pid === 0 ? [] : startedBy(process.pid)
    for (const pid of now) everStarted.add(pid)
    return now
  }
  const afterwards = async () => {
    await expectGone([process.pid, ...everStarted].filter((pid) => pid > 0))
    if (options.home === undefined) await home.remove()
  }
  return {
    home,
    get url() {
      return process.url
    },
    get pid() {
      return process.pid
    },
    get stdout() {
      return process.output.stdout
    },
    get stderr() {
      return process.output.stderr
    },
    get token() {
      return tokenIn(home)
    },
    async connect({ token, ...settings } = {}) {
      const client = await connectClient(process.open(token ?? tokenIn(home)), settings).catch((error) => {
        throw new Error(`The client could not connect: ${process.output.stderr}`, { cause: error })
      })
      clients.add(client)
      return client
    },
    started,
    edit,
    async kill() {
      started()
      await process.end('SIGKILL')
    },
    async close() {
      started()
      await Promise.all([...clients].map((client) => client.close().catch(() => {})))
      await process.end('SIGTERM')
      await afterwards()
    },
  }
}

interface Program {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

interface Running {
  readonly url: string
  readonly pid: number
  readonly output: { stdout: string; stderr: string }
  open(token: string | undefined): Transport
  end(signal: NodeJS.Signals): Promise<void>
}

const START_MS = 30_000

async function startHttp({ args, env, cwd }: Program, startMs = START_MS): Promise<Running> {
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = listenTo(child)
  const printedUrl = () => /Listening on (\S+)/.exec(output.stdout)?.[1]
  await vi
    .waitUntil(() => printedUrl() !== undefined || child.exitCode !== null, { timeout: startMs, interval: 10 })
    .catch(() => {})
  const url = printedUrl()
  if (url === undefined) {
    await endChild(child, 'SIGKILL')
    throw new Error(`The gateway did not listen: ${output.stderr}`)
  }
  return {
    url,
    pid: child.pid ?? 0,
    output,
    open(token) {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
      return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
    },
    end: (signal) => endChild(child, signal),
  }
}

function listenTo(child: ChildProcess): Running['output'] {
  const output = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (chunk) => {
    output.stdout += chunk
  })
  child.stderr?.setEncoding('utf8').on('data', (chunk) => {
    output.stderr += chunk
  })
  return output
}

async function stdioProgram(program: Program): Promise<Running> {
  let child: ChildTransport | undefined
  const output = { stdout: '', stderr: '' }
  return {
    url: 'stdio://',
    get pid() {
      return child?.childPid ?? 0
    },
    output,
    open() {
      if (child !== undefined) throw new Error('A gateway over stdio has one client.')
      child = new ChildTransport(program, output)
      return child
    },
    async end(signal) {
      const pid = child?.childPid ?? 0
      if (pid === 0) return
      if (signal === 'SIGKILL') process.kill(pid, signal)
      await child?.close()
      await expectGone([pid])
    },
  }
}

/** A subclass: for a plain `StdioClientTransport`, the SDK starts a second process to detect the protocol era. */
class ChildTransport extends StdioClientTransport {
  /** Stays set after the transport has released its process. */
  childPid: number | undefined
  readonly #output: { stderr: string }

  constructor({ args, env, cwd }: Program, output: { stderr: string }) {
    super({ command: process.execPath, args: [...args], env: { ...env }, cwd, stderr: 'pipe' })
    this.#output = output
  }

  override async start(): Promise<void> {
    this.stderr?.on('data', (chunk) => {
      this.#output.stderr += String(chunk)
    })
    await super.start()
    this.childPid = this.pid ?? undefined
  }
}

function tokenIn(home: GatewayHome): string | undefined {
  const file = home.at('state', 'toolcrib', 'token')
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}

export function mainPath(): string {
  const path = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))
  if (existsSync(path)) return path
  throw new Error(`${path} is not built: run \`npm run build\` first.`)
}
