// Opens a session for a resolved connection, in the protocol era of the server.

import {
  Client,
  type Implementation,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import type { Handshake } from '../../config/connection-kind.ts'
import { kindOf } from '../../config/connection-kinds.ts'
import type { Connection } from '../../config/server-config.ts'
import { abortSignalOf } from '../../core/stop-signal.ts'
import { unlessAborted } from '../../core/unless-aborted.ts'
import { loginRequiredIn } from './auth/login-errors.ts'
import { describeNetworkError, redirectIn } from './call-outcome.ts'
import { Clock } from './clock.ts'
import { type ConnectionOptions, openConnection } from './connection.ts'
import type { Manifest } from './manifest.ts'
import { type HandshakeMemory, handshakeFor, negotiate } from './negotiate.ts'
import type { BegunProcess } from './process.ts'
import { MAX_LISTENS } from './resource-watches.ts'
import type { StderrRing } from './server-output.ts'
import { capabilitiesFor } from './server-requests.ts'
import { createSession, type Session, type SessionOptions } from './session.ts'
import { StartFailure } from './start-failure.ts'

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
  /** The cached era, if it is recent enough. */
  readonly knownEra?: Manifest['era'] | undefined
  /** Asks for the era first, even if the connection kind has another order. */
  readonly prefersModern: boolean
  /** Kept by the caller between attempts to start the same server. */
  readonly memory: HandshakeMemory
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
    // A server that is only initialized does not say whether it supports the modern era too. The same holds for a
    // handshake that comes first because of the cached era.
    const isEraAssumed = handshake === handshakes[0] ? handshake === 'initialize' : handshake === handshakeFor(knownEra)
    return attempt(connection, { ...options, begun: first }, deadline, { handshake, isEraAssumed })
  }
  try {
    return await negotiate({
      kind: { isProcess, handshakes },
      knownEra,
      memory,
      isOver: () => deadline.signal.aborted,
      tryWith,
    })
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
  const { clientInfo, startTimeoutMs, probeTimeoutMs, redactor } = options
  const { begun } = options
  const stderr = begun?.stderr ?? options.openStderr()
  const client = new Client(clientInfo, {
    capabilities: capabilitiesFor(options.ownRoots !== undefined),
    versionNegotiation: { mode: 'auto', probe: { timeoutMs: probeTimeoutMs } },
    // The call decides which client is asked, and only our code knows the calls.
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
          ? describeStartError(error)
          : `${howEnded} before it answered`
    await open.end()
    throw new StartFailure(redactor.text(reason), { stderr: stderr.tail(), cause: error })
  }
  const { direct } = open
  const protocolVersion = client.getNegotiatedProtocolVersion()
  if (client.getProtocolEra() === 'modern' && protocolVersion !== undefined)
    direct?.useEnvelope({ protocolVersion, clientInfo })
  const session = createSession({
    ...options,
    client,
    ...(direct === undefined ? {} : { direct }),
    isEraAssumed,
    closed,
    end: open.end,
  })
  if (session.era === 'modern') void listenForChanges(client, options)
  return session
}

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
