// What discovery costs the clients of this gateway, line by line: what they were listed, and what looking for tools cost them.

import { join } from 'node:path'
import { isRecord } from '../../core/schema.ts'
import { type AppendLog, createAppendLog } from '../../storage/append-log.ts'

export type UsageRecord =
  /** A client was given the list of tools for the first time in its session. */
  | { readonly time: string; readonly event: 'session'; readonly tokens: number }
  /** A client looked for tools. */
  | { readonly time: string; readonly event: 'answer'; readonly tool: string; readonly tokens: number }

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
  if (event === 'session') return { time, event, tokens }
  return event === 'answer' && typeof tool === 'string' ? { time, event, tokens, tool } : undefined
}
