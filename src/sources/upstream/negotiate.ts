// Chooses the first request to a server, which decides the protocol era of the session.

import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'
import type { ConnectionKind, Handshake } from '../../config/connection-kind.ts'
import type { Connection } from '../../config/server-config.ts'
import type { Manifest } from './manifest.ts'
import { StartFailure } from './start-failure.ts'

interface NegotiationOptions<T> {
  readonly kind: Pick<ConnectionKind<Connection>, 'isProcess' | 'handshakes'>
  /** The cached era, if it is recent enough. */
  readonly knownEra?: Manifest['era'] | undefined
  readonly memory: HandshakeMemory
  /** True if no further try may begin. */
  isOver(): boolean
  tryWith(handshake: Handshake): Promise<T>
}

/** Kept between attempts to start the same process: the handshake for the next attempt, if the last one failed. */
export interface HandshakeMemory {
  next?: Handshake
}

/**
 * Tries the handshakes of one attempt. A process is started a second time in the same attempt only if it answers
 * `initialize` with an error about the version, or gives no answer to `discover`. A server over HTTP that refuses the
 * first handshake gets the other handshake in the same attempt, because a second request starts no process.
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
    const isWorthOther = isProcess ? needsOtherStart(first, cause) : mayAcceptOther(first, cause)
    if (other === undefined || next !== undefined || isOver() || !isWorthOther) throw error
    const session = await tryWith(other)
    delete memory.next
    return session
  }
}

/**
 * Sets the handshake of the next attempt. `discover` follows `initialize` only if the server has answered with an
 * error, because only such a server may not support `initialize`.
 */
function setNext(memory: HandshakeMemory, failed: Handshake, cause: unknown): void {
  if (failed === 'discover') memory.next = 'initialize'
  else if (cause instanceof ProtocolError) memory.next = 'discover'
  else delete memory.next
}

/** The handshake that a server of this era supports. */
export function handshakeFor(era: Manifest['era'] | undefined): Handshake | undefined {
  if (era === undefined) return undefined
  return era === 'modern' ? 'discover' : 'initialize'
}

/** JSON-RPC and MCP error codes for an unknown protocol version or method. */
const VERSION_FAULTS: ReadonlySet<unknown> = new Set([-32_022, -32_600, -32_601, -32_602])

/** A process may exit because of the unknown request `discover`, or refuse the version of `initialize`. */
function needsOtherStart(handshake: Handshake, cause: unknown): boolean {
  if (handshake === 'discover') return hasProbeFailed(cause)
  return cause instanceof ProtocolError && VERSION_FAULTS.has(cause.code)
}

/** Servers over HTTP refuse `discover` in many ways, and `initialize` with a protocol error or HTTP 4xx. */
function mayAcceptOther(handshake: Handshake, cause: unknown): boolean {
  if (handshake === 'discover') return hasProbeFailed(cause)
  return cause instanceof ProtocolError || (cause instanceof SdkHttpError && cause.status >= 400 && cause.status < 500)
}

function hasProbeFailed(cause: unknown): boolean {
  return cause instanceof SdkError && cause.code === SdkErrorCode.EraNegotiationFailed
}
