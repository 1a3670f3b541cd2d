// The usage log: one line per session with the bytes of its tool list, and one per answer to a search for tools.

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Caller, callerKey } from '../../core/call.ts'
import { isRecord } from '../../core/is-record.ts'
import type { CommandResult } from '../../core/result.ts'
import type { CountTokens } from '../../core/tokens.ts'
import type { DescribedTool, ListedTool } from '../../core/tool.ts'
import type { Crib } from '../../crib/crib.ts'
import { listInFull } from '../../disclosure/listed.ts'
import { type AppendLog, createAppendLog } from '../../storage/append-log.ts'

/** The size of a list or an answer. */
type Size =
  | { readonly bytes: number }
  /** Written by older versions. */
  | { readonly tokens: number }

/** A client got the list of tools for the first time in its session. */
export type SessionRecord = Size & {
  readonly time: string
  readonly event: 'session'
  /** The id of the session. Older versions did not write `session` and `servers`. */
  readonly session?: string
  /** The servers behind the gateway that existed for the client at that time. */
  readonly servers?: readonly string[]
}

/** A client searched for tools. */
export type AnswerRecord = Size & {
  readonly time: string
  readonly event: 'answer'
  readonly tool: string
  readonly session?: string
}

export type UsageRecord = SessionRecord | AnswerRecord

const MAX_BYTES = 10 * 1024 * 1024

export function usageFile(stateDir: string): string {
  return join(stateDir, 'usage.jsonl')
}

export function openUsageLog(stateDir: string): AppendLog {
  return createAppendLog({ file: usageFile(stateDir), maxBytes: MAX_BYTES })
}

export function readUsage(value: unknown): UsageRecord | undefined {
  if (!isRecord(value) || typeof value.time !== 'string') return undefined
  const { time, event, tool } = value
  const size = sizeIn(value)
  if (size === undefined) return undefined
  const session = typeof value.session === 'string' ? { session: value.session } : {}
  if (event === 'answer') return typeof tool === 'string' ? { time, event, ...size, tool, ...session } : undefined
  if (event !== 'session') return undefined
  const servers = Array.isArray(value.servers) ? { servers: value.servers.map(String) } : {}
  return { time, event, ...size, ...session, ...servers }
}

function sizeIn({ bytes, tokens }: Readonly<Record<string, unknown>>): Size | undefined {
  if (typeof bytes === 'number') return { bytes }
  return typeof tokens === 'number' ? { tokens } : undefined
}

const MAX_SESSIONS = 10_000
const MAX_WAIT_MS = 10_000

/** Called with the list that the client got, once for each of the first MAX_SESSIONS sessions. */
export type OnSession = (listed: readonly ListedTool[], caller: Caller) => Promise<void>

/** Wraps a crib to log the bytes of tool lists and of answers to searches. `toolcrib stats` converts them to tokens. */
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

/** The ratio of English text and JSON: for a config without tools, and for callers that do not load the tools. */
const USUAL_TOKENS_PER_BYTE = 1 / 4
const MAX_TOOLS = 200

/** The tokens of a list or an answer. The log has only its bytes, unless an older version wrote it. */
export function tokensIn(record: UsageRecord, perByte = USUAL_TOKENS_PER_BYTE): number {
  return 'tokens' in record ? record.tokens : Math.round(record.bytes * perByte)
}

/** The tokens per byte in the list entries of these tools. */
export function tokensPerByte(tools: readonly DescribedTool[], count: CountTokens): number {
  // Tools are ordered by server, so every n-th tool gives each server about its share.
  const step = Math.max(1, Math.ceil(tools.length / MAX_TOOLS))
  let tokens = 0
  let bytes = 0
  for (let index = 0; index < tools.length; index += step) {
    const tool = tools[index]
    if (tool === undefined) continue
    const text = JSON.stringify(listInFull(tool))
    tokens += count(text)
    bytes += Buffer.byteLength(text)
  }
  return bytes === 0 ? USUAL_TOKENS_PER_BYTE : tokens / bytes
}
