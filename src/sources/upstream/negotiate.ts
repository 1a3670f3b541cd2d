// Chooses the first request to a server, which decides the protocol era of the session.

import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'
import type { Manifest } from './manifest.ts'
import { StartFailure } from './start-failure.ts'

/** `initialize` opens a legacy session. `discover` asks for the era, and the SDK's client then uses the newest one. */
export type Handshake = 'initialize' | 'discover'

interface NegotiationOptions<T> {
  /** True if the server is a process: then each try starts it. */
  readonly isProcess: boolean
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
 * A process is started once per attempt. It is started a second time only if it says that it does not support the
 * version. A server over HTTP gets both requests in one attempt, because a second request starts no process.
 */
export async function negotiate<T>({ memory, isOver, tryWith, ...about }: NegotiationOptions<T>): Promise<T> {
  const { isProcess } = about
  const { next } = memory
  const first = next ?? firstHandshake(about)
  try {
    const session = await tryWith(first)
    delete memory.next
    return session
  } catch (error) {
    const cause = error instanceof StartFailure ? error.cause : undefined
    if (isProcess) setNext(memory, first, cause)
    const isWorthOther = isProcess ? wantsOtherVersion(first, cause) : mayAcceptOther(first, cause)
    if (next !== undefined || isOver() || !isWorthOther) throw error
    const session = await tryWith(first === 'initialize' ? 'discover' : 'initialize')
    delete memory.next
    return session
  }
}

/** Only a server that answers `initialize` with an error may be one that does not support it. */
function setNext(memory: HandshakeMemory, failed: Handshake, cause: unknown): void {
  if (failed === 'discover') memory.next = 'initialize'
  else if (cause instanceof ProtocolError) memory.next = 'discover'
  else delete memory.next
}

/**
 * Most servers over stdio only support the legacy era, and some of them exit when they get an unknown request. A server
 * that supports both eras answers legacy calls faster. Over HTTP the modern era is better: it has no session to lose.
 */
function firstHandshake({
  isProcess,
  knownEra,
}: Pick<NegotiationOptions<unknown>, 'isProcess' | 'knownEra'>): Handshake {
  if (isProcess) return knownEra === 'modern' ? 'discover' : 'initialize'
  return knownEra === 'legacy' ? 'initialize' : 'discover'
}

/** JSON-RPC and MCP error codes for an unknown protocol version or method. */
const VERSION_FAULTS: ReadonlySet<unknown> = new Set([-32_022, -32_600, -32_601, -32_602])

function wantsOtherVersion(handshake: Handshake, cause: unknown): boolean {
  return handshake === 'initialize' && cause instanceof ProtocolError && VERSION_FAULTS.has(cause.code)
}

/** Servers over HTTP refuse the wrong handshake in many ways, some with HTTP 500. */
function mayAcceptOther(handshake: Handshake, cause: unknown): boolean {
  if (handshake === 'discover') return cause instanceof SdkError && cause.code === SdkErrorCode.EraNegotiationFailed
  return cause instanceof ProtocolError || (cause instanceof SdkHttpError && cause.status >= 400 && cause.status < 500)
}
