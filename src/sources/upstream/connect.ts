// Opens a session for a resolved connection, in the protocol era of the server.

import {
  Client,
  type Implementation,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import type { ConnectionKind, Handshake } from '../../config/connection-kind.ts'
import { kindOf } from '../../config/connection-kinds.ts'
import { type Connection, hasAuthorizationHeader } from '../../config/server-config.ts'
import { defined } from '../../core/defined.ts'
import { abortSignalOf } from '../../core/stop-signal.ts'
import { unlessAborted } from '../../core/waiting.ts'
import { loginRequiredIn } from './auth/login-errors.ts'
import { describeNetworkError, redirectIn } from './call-outcome.ts'
import { Clock } from './clock.ts'
import { type ConnectionOptions, openConnection } from './connection.ts'
import type { Manifest } from './manifest.ts'
import type { BegunProcess } from './process.ts'
import { MAX_LISTENS } from './resource-watches.ts'
import { capabilitiesFor } from './server-messages.ts'
import type { StderrRing } from './server-output.ts'
import { createSession, type Session, type SessionOptions } from './session.ts'
import { StartFailure } from './start-failure.ts'

interface ConnectOptions
  extends Omit<ConnectionOptions, 'stderr' | 'begun'>,
    Omit<SessionOptions, 'client' | 'direct' | 'isEraAssumed' | 'closed' | 'end'> {
  /** The cached era, if it is recent enough. */
  readonly knownEra?: Manifest['era'] | undefined
  /** Without a cached era, tries `discover` first, even if the connection kind has another order. */
  readonly prefersModern: boolean
  /** Kept by the caller between attempts to start the same server. */
  readonly memory: HandshakeMemory
  readonly clientInfo: Implementation
  readonly startTimeoutMs: number
  readonly probeTimeoutMs: number
  readonly signal: AbortSignal
  openStderr(): StderrRing
  /** The process of the first attempt, if it is started already. */
  readonly begun?: BegunProcess | undefined
}

const MODERN_FIRST: readonly [Handshake, ...Handshake[]] = ['discover', 'initialize']

/** Rejects with a StartFailure. A failed attempt leaves nothing running. */
export async function connectSession(connection: Connection, options: ConnectOptions): Promise<Session> {
  const deadline = new Clock({ signal: options.signal, timeoutMs: options.startTimeoutMs })
  const { isProcess, handshakes: usual } = kindOf(connection)
  const { knownEra, memory, prefersModern } = options
  const handshakes = prefersModern && usual.includes('discover') ? MODERN_FIRST : usual
  let { begun } = options
  const tryWith = (handshake: Handshake) => {
    const first = begun
    begun = undefined
    // The era is assumed in two cases. This handshake is `initialize` and the first in `handshakes`: modern servers may
    // accept it too. Or it is the second in `handshakes`, and comes first only because of the cached era.
    const isEraAssumed = handshake === handshakes[0] ? handshake === 'initialize' : handshake === handshakeFor(knownEra)
    return attempt(connection, { ...options, begun: first }, deadline, { handshake, isEraAssumed })
  }
  try {
    const isOver = () => deadline.signal.aborted
    return await negotiate({ kind: { isProcess, handshakes }, knownEra, memory, isOver, tryWith })
  } finally {
    deadline.stop()
  }
}

async function attempt(
  connection: Connection,
  options: ConnectOptions,
  deadline: Clock,
  { handshake, isEraAssumed }: { readonly handshake: Handshake; readonly isEraAssumed: boolean },
): Promise<Session> {
  const { clientInfo, startTimeoutMs, probeTimeoutMs, redactor, begun } = options
  const stderr = begun?.stderr ?? options.openStderr()
  const client = new Client(clientInfo, {
    capabilities: capabilitiesFor(options.ownRoots !== undefined),
    versionNegotiation: { mode: 'auto', probe: { timeoutMs: probeTimeoutMs } },
    // The client to ask depends on the call, and the SDK does not know which call a question belongs to.
    inputRequired: { autoFulfill: false },
  })
  const open = openConnection(connection, { ...options, stderr, begun: begun?.process })
  let howEnded: string | undefined
  void open.ended?.then((how) => {
    howEnded = how
  })
  const closed = new Promise<void>((resolve) => {
    client.onclose = resolve
  }).then(() => howEnded ?? 'the connection was closed')
  try {
    const connecting = client.connect(open.transport, {
      timeout: startTimeoutMs,
      signal: abortSignalOf(deadline.signal),
      ...(handshake === 'discover' ? {} : { prior: { kind: 'legacy' } }),
    })
    // The SDK's probe ignores signals. Closing the connection stops it.
    await unlessAborted(connecting, deadline.signal)
  } catch (thrown) {
    const error = loginRequiredIn(open.fault) ?? thrown
    const reason =
      deadline.exceededMs !== undefined
        ? `it did not answer in ${startTimeoutMs} ms`
        : howEnded === undefined
          ? describeStartError(error, connection)
          : `${howEnded} before it answered`
    await open.end()
    throw new StartFailure(redactor.text(reason), { stderr: stderr.tail(), cause: error, status: statusOf(error) })
  }
  const { direct } = open
  const protocolVersion = client.getNegotiatedProtocolVersion()
  if (client.getProtocolEra() === 'modern' && protocolVersion !== undefined)
    direct?.useEnvelope({ protocolVersion, clientInfo })
  const session = createSession({
    ...options,
    client,
    ...defined({ direct }),
    isEraAssumed,
    closed,
    end: open.end,
  })
  if (session.era === 'modern') void listenForChanges(client, options)
  return session
}

/** A modern server reports changes only to subscribers. The subscription is opened at most `MAX_LISTENS` times. */
async function listenForChanges(client: Client, { onListChanged, onNotification }: ConnectOptions): Promise<void> {
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {}
  const filter = {
    ...(tools?.listChanged === true ? { toolsListChanged: true } : {}),
    ...(prompts?.listChanged === true ? { promptsListChanged: true } : {}),
    ...(resources?.listChanged === true ? { resourcesListChanged: true } : {}),
  }
  if (Object.keys(filter).length === 0) return
  const catchUp = () => {
    onListChanged?.()
    for (const list of ['prompts', 'resources'] as const) onNotification?.({ kind: 'listChanged', of: list })
  }
  for (let tries = 0; tries < MAX_LISTENS; tries++) {
    try {
      const { closed } = await client.listen(filter)
      // Changes may have been missed meanwhile, so the lists are fetched again.
      if (tries > 0) catchUp()
      if ((await closed) !== 'remote' || client.transport === undefined) return
    } catch {
      // Without a subscription, the list is refreshed only when it is too old.
      return
    }
  }
}

function describeStartError(error: unknown, connection: Connection): string {
  const status = statusOf(error)
  if (status === 401) {
    return hasAuthorizationHeader(connection)
      ? "it refuses the value of the header 'Authorization' (HTTP 401)"
      : 'it requires an authorization that its config does not have (HTTP 401)'
  }
  if (status === 403) return 'it denies access (HTTP 403)'
  if (status !== undefined) return `it answered with HTTP ${status}${error instanceof Error ? redirectIn(error) : ''}`
  // The SDK wraps network errors in its own message.
  if (error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed && error.cause instanceof Error) {
    return describeNetworkError(error.cause)
  }
  return describeNetworkError(error)
}

function statusOf(error: unknown): number | undefined {
  if (error instanceof UnauthorizedError) return 401
  return error instanceof SdkHttpError ? error.status : error instanceof SseError ? error.code : undefined
}

interface NegotiationOptions<T> {
  readonly kind: Pick<ConnectionKind<Connection>, 'isProcess' | 'handshakes'>
  /** The cached era, if it is recent enough. */
  readonly knownEra?: Manifest['era'] | undefined
  readonly memory: HandshakeMemory
  isOver(): boolean
  tryWith(handshake: Handshake): Promise<T>
}

/** Kept between attempts to start the same server: the handshake for the next attempt, if the last one failed. */
export interface HandshakeMemory {
  next?: Handshake
}

/**
 * Tries the handshakes of one attempt. A process is started a second time in the same attempt only if it answers
 * `initialize` with an error about the version, or gives no usable answer to `discover`. A server over HTTP that
 * refuses the first handshake gets the other handshake in the same attempt, because a second request starts no process.
 */
export async function negotiate<T>({ kind, knownEra, memory, isOver, tryWith }: NegotiationOptions<T>): Promise<T> {
  const { isProcess, handshakes } = kind
  const { next } = memory
  const first = next ?? handshakes.find((one) => one === handshakeFor(knownEra)) ?? handshakes[0]
  const other = handshakes.find((one) => one !== first)
  try {
    const session = await tryWith(first)
    delete memory.next
    return session
  } catch (error) {
    const cause = error instanceof StartFailure ? error.cause : undefined
    if (isProcess && other !== undefined) setNext(memory, first, cause)
    if (other === undefined || next !== undefined || isOver() || !mayAcceptOther(isProcess, first, cause)) throw error
    const session = await tryWith(other)
    delete memory.next
    return session
  }
}

/**
 * Sets the handshake of the next attempt. `discover` follows `initialize` only if the server has answered with an
 * error. A server that did not answer at all has another problem than its era.
 */
function setNext(memory: HandshakeMemory, failed: Handshake, cause: unknown): void {
  if (failed === 'discover') memory.next = 'initialize'
  else if (cause instanceof ProtocolError) memory.next = 'discover'
  else delete memory.next
}

/** The handshake that a server of this era supports. */
function handshakeFor(era: Manifest['era'] | undefined): Handshake | undefined {
  if (era === undefined) return undefined
  return era === 'modern' ? 'discover' : 'initialize'
}

/** JSON-RPC and MCP error codes for an unknown protocol version or method. */
const VERSION_FAULTS: ReadonlySet<unknown> = new Set([-32_022, -32_600, -32_601, -32_602])

/** True if a server that fails with this cause may accept the other handshake. */
function mayAcceptOther(isProcess: boolean, handshake: Handshake, cause: unknown): boolean {
  // Servers refuse `discover` in many ways: a process, for example, may exit because it does not know the request.
  if (handshake === 'discover') return cause instanceof SdkError && cause.code === SdkErrorCode.EraNegotiationFailed
  if (cause instanceof ProtocolError) return !isProcess || VERSION_FAULTS.has(cause.code)
  return !isProcess && cause instanceof SdkHttpError && cause.status >= 400 && cause.status < 500
}
