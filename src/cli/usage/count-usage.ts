// Wraps a crib to log the bytes of tool lists and search answers. `toolcrib stats` converts the bytes to tokens.

import { randomBytes } from 'node:crypto'
import { type Caller, callerKey } from '../../core/call.ts'
import type { CommandResult } from '../../core/result.ts'
import type { ListedTool } from '../../core/tool.ts'
import type { Crib } from '../../crib/crib.ts'
import type { AppendLog } from '../../storage/append-log.ts'
import type { UsageRecord } from './usage-log.ts'

const MAX_SESSIONS = 10_000
const MAX_WAIT_MS = 10_000

/** Called once per session with the list that the client got. */
export type OnSession = (listed: readonly ListedTool[], caller: Caller) => Promise<void>

export function countUsage(crib: Crib, log: AppendLog, onSession?: OnSession): Crib {
  /** The random id of each session in the log, by caller. */
  const sessions = new Map<string, string>()
  // The client does not wait for the log, and a failed write does not fail its request.
  const write = (record: UsageRecord) => log.append(record).catch(() => {})

  const logSession = async (session: string, listed: unknown, caller: Caller) => {
    const time = new Date().toISOString()
    const bytes = Buffer.byteLength(JSON.stringify(listed))
    // The servers of this caller: without the gateway, it would not list the others.
    const view = await crib.inspect(AbortSignal.timeout(MAX_WAIT_MS), caller)
    await write({ time, event: 'session', bytes, session, servers: view.sources.map(({ id }) => id) })
  }

  const countedCall: Crib['call'] = async (name, args, request) => {
    const result = await crib.call(name, args, request)
    const session = sessions.get(callerKey(request.caller))
    const time = new Date().toISOString()
    const bytes = bytesOf(result)
    void write({ time, event: 'answer', tool: name, bytes, ...(session === undefined ? {} : { session }) })
    return result
  }

  return {
    ...crib,
    async list(request) {
      const listed = await crib.list(request)
      const key = callerKey(request.caller)
      if (sessions.has(key) || sessions.size >= MAX_SESSIONS) return listed
      const session = randomBytes(6).toString('hex')
      sessions.set(key, session)
      void logSession(session, listed, request.caller).catch(() => {})
      void onSession?.(listed, request.caller).catch(() => {})
      return listed
    },
    // Calls that run a tool cost the same without the gateway.
    call: (name, args, request) =>
      crib.strategy.findsTools(name) ? countedCall(name, args, request) : crib.call(name, args, request),
  }
}

/** The bytes that the model reads. */
function bytesOf({ wire, data, error }: CommandResult): number {
  if (wire === undefined) return Buffer.byteLength(JSON.stringify(error ?? data ?? null))
  return wire.content.reduce((sum, block) => sum + (block.type === 'text' ? Buffer.byteLength(block.text) : 0), 0)
}
