// The requests that a server gets first, in each state of the cache and after each kind of failure.

import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import type { Handshake } from '../../config/connection-kind.ts'
import { type Connection, kindOf } from '../../config/connection-kinds.ts'
import { type HandshakeMemory, negotiate } from './connect.ts'
import { StartFailure } from './start-failure.ts'

const unsupported = ProtocolError.fromError(-32_022, 'Unsupported protocol version')
const noKey = ProtocolError.fromError(-32_603, 'no key')
const probeFailed = new SdkError(SdkErrorCode.EraNegotiationFailed, 'no usable answer')
const notFound = new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'HTTP 404', { status: 404 })
const exited = undefined

/** Makes the attempts one after the other and returns the handshakes of each one. `causes`: why a handshake fails. */
async function handshakes(
  about: { type: Connection['type']; knownEra?: 'legacy' | 'modern'; isOver?: boolean },
  causes: Partial<Record<Handshake, unknown>>,
  attempts = 1,
): Promise<readonly (readonly Handshake[])[]> {
  const memory: HandshakeMemory = {}
  const seen: Handshake[][] = []
  for (let attempt = 0; attempt < attempts; attempt++) {
    const tried: Handshake[] = []
    seen.push(tried)
    const tryWith: (handshake: Handshake) => Promise<string> = async (handshake) => {
      tried.push(handshake)
      if (handshake in causes) throw new StartFailure('it failed', { cause: causes[handshake] })
      return 'session'
    }
    await negotiate({ ...about, kind: kindOf(about), memory, isOver: () => about.isOver === true, tryWith }).catch(
      () => {},
    )
  }
  return seen
}

describe('the first request to a server over stdio', () => {
  it('initializes a server over stdio, unless it is cached as modern', async () => {
    expect(await handshakes({ type: 'stdio' }, {})).toEqual([['initialize']])
    expect(await handshakes({ type: 'stdio', knownEra: 'legacy' }, {})).toEqual([['initialize']])
    expect(await handshakes({ type: 'stdio', knownEra: 'modern' }, {})).toEqual([['discover']])
  })

  it('asks a process that does not support the legacy version for its era in the same attempt', async () => {
    const causes = { initialize: unsupported }
    expect(await handshakes({ type: 'stdio' }, causes)).toEqual([['initialize', 'discover']])
    expect(await handshakes({ type: 'stdio', isOver: true }, causes)).toEqual([['initialize']])
  })

  it('starts a process only once per attempt if it exits, and always with initialize', async () => {
    expect(await handshakes({ type: 'stdio' }, { initialize: exited }, 3)).toEqual([
      ['initialize'],
      ['initialize'],
      ['initialize'],
    ])
  })

  it('alternates between the handshakes if initialize fails with an error that is not about the version', async () => {
    const causes = { initialize: noKey, discover: probeFailed }
    expect(await handshakes({ type: 'stdio' }, causes, 3)).toEqual([['initialize'], ['discover'], ['initialize']])
  })

  it('starts a process twice only in the first attempt if it refuses both handshakes', async () => {
    const causes = { initialize: unsupported, discover: probeFailed }
    expect(await handshakes({ type: 'stdio' }, causes, 3)).toEqual([
      ['initialize', 'discover'],
      ['discover'],
      ['initialize'],
    ])
  })

  it('initializes a process cached as modern in the same attempt if discover gets no usable answer', async () => {
    const about = { type: 'stdio', knownEra: 'modern' } as const
    expect(await handshakes(about, { discover: probeFailed })).toEqual([['discover', 'initialize']])
    // The process failed before it got the request.
    expect(await handshakes(about, { discover: exited }, 2)).toEqual([['discover'], ['initialize']])
  })
})

describe('the first request to a server over HTTP', () => {
  it('asks a server over HTTP for its era, unless it is cached as legacy', async () => {
    expect(await handshakes({ type: 'http' }, {})).toEqual([['discover']])
    expect(await handshakes({ type: 'http', knownEra: 'modern' }, {})).toEqual([['discover']])
    expect(await handshakes({ type: 'http', knownEra: 'legacy' }, {})).toEqual([['initialize']])
  })

  it('tries the other handshake in the same attempt if a server over HTTP refuses the first one', async () => {
    expect(await handshakes({ type: 'http' }, { discover: probeFailed }, 2)).toEqual([
      ['discover', 'initialize'],
      ['discover', 'initialize'],
    ])
    const about = { type: 'http', knownEra: 'legacy' } as const
    expect(await handshakes(about, { initialize: unsupported })).toEqual([['initialize', 'discover']])
    expect(await handshakes(about, { initialize: notFound })).toEqual([['initialize', 'discover']])
    expect(await handshakes(about, { initialize: new Error('no network') })).toEqual([['initialize']])
  })

  it('only initializes a server over SSE, because the modern era does not have this transport', async () => {
    expect(await handshakes({ type: 'sse' }, { initialize: notFound }, 2)).toEqual([['initialize'], ['initialize']])
    expect(await handshakes({ type: 'sse', knownEra: 'modern' }, {})).toEqual([['initialize']])
  })
})
