// The control server of a running gateway. Other commands ask it for its status, reload its config, or join it.

import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { defined } from '../../core/defined.ts'
import { messageOf } from '../../core/text.ts'
import { withTimeout } from '../../core/waiting.ts'
import type { Crib } from '../../crib/crib.ts'
import type { Gateway } from '../../crib/from-config.ts'
import { type ServerSummary, summarizeServer } from '../../disclosure/strategies/gateway/pages.ts'
import type { Environment } from '../../setup/environment.ts'
import { strategyState } from './ask-gateways.ts'
import { logLine } from './gateway-log.ts'
import { chooseAddress, gatewaysDir, register, unregister } from './registration.ts'
import { joinReply, readJoin } from './shared-handshake.ts'

interface ControlServer {
  close(): Promise<void>
}

export interface ControlOptions {
  /** For a gateway over HTTP: its address, and how a person opens its inspector. */
  http?(): HttpGateway
  /** For a shared gateway: its key, and the function that serves a client that joins. */
  readonly shared?: SharedGateway
}

export interface HttpGateway {
  readonly url: string
  readonly inspector: 'full' | 'read-only' | 'off'
  /** `own`: with the generated token of this user. `other`: with another token. */
  readonly login: 'own' | 'other' | 'none'
}

interface SharedGateway {
  readonly key: string
  /** The names of the connected clients. */
  readonly clients: () => readonly string[]
  /** Serves the client on this socket. Returns false if the gateway is stopping. */
  join(socket: Socket, client: string): boolean
}

type ControlMethod = (gateway: Gateway) => Promise<object>
/**
 * The requests besides `join`. A request is one word: it carries no path and no command line. This is a Map, because a
 * plain object inherits properties such as `constructor`, which a request could name.
 */
const METHODS: ReadonlyMap<string, ControlMethod> = new Map<string, ControlMethod>([
  ['status', async ({ crib }) => ({ servers: await serverStates(crib), ...strategyState(crib) })],
  [
    'reload',
    async (gateway) => {
      const { applied, problems } = await gateway.reload()
      return { applied, problems, servers: gateway.loaded.servers.filter(({ enabled }) => enabled).length }
    },
  ],
])

const MAX_LINE_BYTES = 1_000
/** A silent connection is closed after this time. */
const IDLE_MS = 30_000
const MAX_INSPECT_MS = 10_000

/**
 * Opens the control server, or logs the failure and returns undefined. A shared gateway then ends, because its clients
 * cannot join. Other gateways still serve, and still watch their config files.
 */
export async function tryOpenControlServer(
  environment: Environment,
  gateway: Gateway,
  options: ControlOptions,
): Promise<ControlServer | undefined> {
  try {
    return await openControlServer(environment, gateway, options)
  } catch (error) {
    logLine(`\`toolcrib config reload\` will not reach this gateway: ${messageOf(error)}`)
    return undefined
  }
}

export async function openControlServer(
  environment: Environment,
  gateway: Gateway,
  options: ControlOptions = {},
): Promise<ControlServer> {
  const { shared } = options
  const { stateDir, platform, version } = environment
  const { pid } = process
  const address = await chooseAddress(stateDir, pid, platform, tmpdir())
  // An earlier process with the same pid may have left its socket.
  await rm(address, { force: true }).catch(() => {})
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy())
    socket.setTimeout(IDLE_MS, () => socket.destroy())
    onFirstLine(socket, (line) => {
      const client = shared === undefined ? undefined : readJoin(line)
      if (shared === undefined || client === undefined) return void answer(socket, line, gateway, options)
      // From here on the front door owns the socket, and closes it after the answers to its client.
      sockets.delete(socket)
      socket.setTimeout(0)
      socket.write(`${JSON.stringify(joinReply(gateway))}\n`)
      if (!shared.join(socket, client)) socket.destroy()
    })
  })
  const close = async () => {
    await unregister(stateDir, pid)
    for (const socket of sockets) socket.destroy()
    // Not awaited: it would wait for the clients that have joined.
    server.close()
    if (platform !== 'win32' && dirname(address) !== gatewaysDir(stateDir)) {
      await rm(dirname(address), { recursive: true, force: true }).catch(() => {})
    }
  }
  try {
    server.listen(address)
    // Rejects if an 'error' comes first.
    await once(server, 'listening')
    server.on('error', () => {})
    if (platform !== 'win32') await chmod(address, 0o600)
    const key = shared === undefined ? {} : { shared: shared.key }
    await register(stateDir, { pid, address, startedAt: new Date().toISOString(), version, ...key })
  } catch (error) {
    await close()
    throw error
  }
  // The control server alone must not keep the process alive.
  server.unref()
  return { close }
}

/** Calls `onLine` with the first line of the connection. The end of a line longer than MAX_LINE_BYTES may be cut. */
function onFirstLine(socket: Socket, onLine: (line: string) => void): void {
  let held = Buffer.alloc(0)
  const read = (chunk: Buffer) => {
    held = Buffer.concat([held, chunk.subarray(0, MAX_LINE_BYTES + 1)])
    const end = held.indexOf('\n')
    if (end < 0 && held.length <= MAX_LINE_BYTES) return
    socket.off('data', read)
    // Reads and drops the rest of the input, so that the reply can be sent. A client that joins waits for the reply.
    socket.resume()
    onLine(held.subarray(0, end < 0 ? MAX_LINE_BYTES : end).toString())
  }
  socket.on('data', read)
}

async function answer(socket: Socket, line: string, gateway: Gateway, { shared, http }: ControlOptions): Promise<void> {
  const method = METHODS.get(line.trim())
  const extraFields = defined({ clients: shared?.clients(), http: http?.() })
  const result = await method?.(gateway).catch((error) => ({ error: messageOf(error) }))
  const reply = result === undefined ? { error: 'unknown request' } : { ...result, ...extraFields }
  if (!socket.destroyed) socket.end(`${JSON.stringify(reply)}\n`)
}

async function serverStates(crib: Crib): Promise<readonly ServerSummary[]> {
  const view = await withTimeout(MAX_INSPECT_MS, new AbortController().signal, (timeout) => crib.inspect(timeout))
  return view.sources.map(summarizeServer)
}
