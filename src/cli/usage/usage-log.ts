// The usage log: one line per session with the bytes of its tool list, and one per answer to a search for tools.

import { join } from 'node:path'
import { isRecord } from '../../core/is-record.ts'
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
