// What discovery costs the clients of this gateway, line by line: what they were listed, and what looking for tools cost them.

import { join } from 'node:path'
import { isRecord } from '../../core/schema.ts'
import { type AppendLog, createAppendLog } from '../../storage/append-log.ts'

/** A client was given the list of tools for the first time in its session. */
export interface SessionRecord {
  readonly time: string
  readonly event: 'session'
  readonly tokens: number
  /** Left out in logs of older versions, as `servers` is. */
  readonly session?: string
  /** Those that were behind the gateway then. */
  readonly servers?: readonly string[]
}

/** A client looked for tools. */
export interface AnswerRecord {
  readonly time: string
  readonly event: 'answer'
  readonly tool: string
  readonly tokens: number
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
  if (!isRecord(value) || typeof value.time !== 'string' || typeof value.tokens !== 'number') return undefined
  const { time, event, tokens, tool } = value
  const session = typeof value.session === 'string' ? { session: value.session } : {}
  if (event === 'answer') return typeof tool === 'string' ? { time, event, tokens, tool, ...session } : undefined
  if (event !== 'session') return undefined
  const servers = Array.isArray(value.servers) ? { servers: value.servers.map(String) } : {}
  return { time, event, tokens, ...session, ...servers }
}
