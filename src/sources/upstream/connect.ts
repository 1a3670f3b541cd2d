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
import { type Connection, programIn } from '../../config/server-config.ts'
import { abortSignalOf, type StopSignal } from '../../core/stop-signal.ts'
import { unlessAborted } from '../../core/unless-aborted.ts'
import { loginRequiredIn } from './auth/login-required.ts'
import { describeNetworkError, redirectIn } from './call-outcome.ts'
import { Clock } from './clock.ts'
import { type ConnectionOptions, transportKindOf } from './connection.ts'
import type { BegunProcess } from './process.ts'
import { capabilitiesFor } from './server-requests.ts'
import { createSession, type Session, type SessionOptions } from './session.ts'
import { StartFailure } from './start-failure.ts'
import type { StderrRing } from './stderr-ring.ts'

interface ConnectOptions
  extends Omit<ConnectionOptions, 'stderr' | 'begun'>,
    Pick<
      SessionOptions,
      | 'redactor'
      | 'questionRules'
      | 'knownToAsk'
      | 'onAsk'
      | 'ownRoots'
      | 'onListChanged'
      | 'onNotification'
      | 'listTimeoutMs'
    > {
  /** The cached era, if it is recent enough. `legacy` skips the probe, which some servers do not survive. */
  readonly knownEra?: 'legacy' | 'modern'
  /** Kept by the caller between attempts to start the same server. */
  readonly memory: EraMemory
  readonly clientInfo: Implementation
  readonly startTimeoutMs: number
  /** How long to wait for the answer to the era probe. */
  readonly probeTimeoutMs: number
  readonly signal: AbortSignal
  /** Opens a buffer for the stderr of the next process. */
  openStderr(): StderrRing
  /** The process of the first attempt, if it is started already. */
  readonly begun?: BegunProcess | undefined
}

/** `assumed`: from the cache. `legacy`: found in this attempt, because the server did not survive the probe. */
type EraVerdict = 'unknown' | 'assumed' | 'legacy'

/**
 * After an attempt failed in both eras, further attempts alternate between them. A server that cannot start is then
 * started only once per attempt.
 */
export interface EraMemory {
  next?: 'unknown' | 'legacy'
}

/** Rejects with a StartFailure. A failed attempt leaves nothing running. */
export async function connectSession(connection: Connection, options: ConnectOptions): Promise<Session> {
  const deadline = new Clock({ signal: options.signal, timeoutMs: options.startTimeoutMs })
  let { begun } = options
  const tryAs = (verdict: EraVerdict) => {
    const first = begun
    begun = undefined
    return attempt(connection, { ...options, begun: first }, deadline, verdict)
  }
  try {
    if (transportKindOf(connection).isLegacyOnly) return await tryAs('legacy')
    return await negotiate(tryAs, options, programIn(connection) !== undefined, deadline.signal)
  } finally {
    deadline.stop()
  }
}

async function negotiate(
  tryAs: (verdict: EraVerdict) => Promise<Session>,
  { knownEra, memory }: ConnectOptions,
  isProcess: boolean,
  signal: StopSignal,
): Promise<Session> {
  const { next: only } = memory
  const first = only ?? (knownEra === 'legacy' ? 'assumed' : 'unknown')
  try {
    const session = await tryAs(first)
    delete memory.next
    return session
  } catch (error) {
    if (signal.aborted) throw error
    if (only !== undefined) memory.next = only === 'unknown' ? 'legacy' : 'unknown'
    const second = only === undefined ? eraToTryNext(first, error, isProcess) : undefined
    if (second === undefined) {
      // Upgraded servers refuse the legacy handshake in many ways, so the next attempt probes again.
      if (first === 'assumed' && isProcess && wasRefused(causeOf(error))) memory.next = 'unknown'
      throw error
    }
    try {
      return await tryAs(second)
    } catch (again) {
      if (isProcess && !signal.aborted) memory.next = 'unknown'
      throw again
    }
  }
}

/** The era to try next within the same attempt. Undefined if that would not help. */
function eraToTryNext(first: EraVerdict, error: unknown, isProcess: boolean): EraVerdict | undefined {
  const cause = causeOf(error)
  // A server may have been upgraded. If it refuses for another reason, a second start would not help.
  if (first === 'assumed') return (isProcess ? isAboutVersion(cause) : wasRefused(cause)) ? 'unknown' : undefined
  // Some legacy servers exit or answer with HTTP 500 when they get an unknown request. If a server ended before it read
  // the request, it had another reason.
  const isUnread = error instanceof StartFailure && error.isUnread
  return hasProbeFailed(cause) && !isUnread ? 'legacy' : undefined
}

function causeOf(error: unknown): unknown {
  return error instanceof StartFailure ? error.cause : undefined
}

async function attempt(
  connection: Connection,
  options: ConnectOptions,
  deadline: Clock,
  verdict: EraVerdict,
): Promise<Session> {
  const { clientInfo, startTimeoutMs, probeTimeoutMs, redactor } = options
  const { begun } = options
  const stderr = begun?.stderr ?? options.openStderr()
  const client = new Client(clientInfo, {
    capabilities: capabilitiesFor(options.ownRoots !== undefined),
    versionNegotiation: { mode: 'auto', probe: { timeoutMs: probeTimeoutMs } },
    // The call decides which client is asked, and only our code knows the calls.
    inputRequired: { autoFulfill: false },
  })
  const open = transportKindOf(connection).open(connection, { ...options, stderr, begun: begun?.process })
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
      ...(verdict === 'unknown' ? {} : { prior: { kind: 'legacy' } }),
    })
    // The SDK's probe ignores signals. Closing the connection stops it.
    await unlessAborted(connecting, deadline.signal)
  } catch (thrown) {
    const error = loginRequiredIn(open.fault) ?? thrown
    const reason =
      deadline.exceededMs !== undefined
        ? `it did not answer in ${startTimeoutMs} ms`
        : howEnded === undefined
          ? describeStartError(error)
          : `${howEnded} before it answered`
    await open.end()
    const isUnread = open.isUnread === true
    throw new StartFailure(redactor.text(reason), { stderr: stderr.tail(), cause: error, isUnread })
  }
  const { direct } = open
  const protocolVersion = client.getNegotiatedProtocolVersion()
  if (client.getProtocolEra() === 'modern' && protocolVersion !== undefined)
    direct?.useEnvelope({ protocolVersion, clientInfo })
  const session = createSession({
    ...options,
    client,
    ...(direct === undefined ? {} : { direct }),
    isEraAssumed: verdict === 'assumed',
    closed,
    end: open.end,
  })
  if (session.era === 'modern') void listenForChanges(client, options)
  return session
}

/** The era probe got no usable answer. */
function hasProbeFailed(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed
}

/** The server answers but refuses the legacy handshake. */
function wasRefused(error: unknown): boolean {
  return error instanceof ProtocolError || (error instanceof SdkHttpError && error.status >= 400 && error.status < 500)
}

/** JSON-RPC and MCP error codes for an unknown protocol version or method. */
const VERSION_FAULTS: ReadonlySet<unknown> = new Set([-32_022, -32_600, -32_601, -32_602])

function isAboutVersion(error: unknown): boolean {
  return error instanceof ProtocolError && VERSION_FAULTS.has(error.code)
}

const MAX_LISTENS = 5

/** A modern server notifies only subscribers of changes. A broken subscription is renewed. */
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
    for (const of of ['prompts', 'resources'] as const) onNotification?.({ kind: 'listChanged', of })
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

function describeStartError(error: unknown): string {
  const status = statusOf(error)
  if (status === 401 || error instanceof UnauthorizedError)
    return 'it requires an authorization that its config does not have (HTTP 401)'
  if (status === 403) return 'it denies access (HTTP 403)'
  if (status !== undefined) return `it answered with HTTP ${status}${error instanceof Error ? redirectIn(error) : ''}`
  // The SDK wraps network errors in its own message.
  if (error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed && error.cause instanceof Error) {
    return describeNetworkError(error.cause)
  }
  return describeNetworkError(error)
}

function statusOf(error: unknown): number | undefined {
  if (error instanceof SdkHttpError) return error.status
  return error instanceof SseError ? error.code : undefined
}
