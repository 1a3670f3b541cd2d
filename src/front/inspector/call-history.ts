// The calls in the audit log: the last 1,000 in full, and a short form of the last 100,000 for figures.

import { inSlices } from '../../core/collections.ts'
import { isRecord } from '../../core/is-record.ts'
import { parseJson } from '../../core/json.ts'
import { createListeners } from '../../core/listeners.ts'
import { createLogTail, olderLines } from '../../storage/log-tail.ts'
import type { InspectorCall } from './api.ts'

/** The short form of a call, for figures. */
export interface PastCall {
  /** In milliseconds since 1970. */
  readonly time: number
  readonly durationMs: number
  readonly isError: boolean
  readonly key: CallKey
}

/** The part of a call that it shares with many others. */
export interface CallKey extends Pick<InspectorCall, 'principal' | 'server' | 'tool' | 'transport'> {
  /** True if the name in the call did not exist for its caller. */
  readonly isUnknown: boolean
}

export interface CallHistory {
  /** Reads the records since the last refresh. The first refresh reads the last part of the log. */
  refresh(): Promise<void>
  /** The last 1,000 calls, oldest first. */
  readonly recent: readonly InspectorCall[]
  /** The short forms of the last 100,000 calls, oldest first. */
  past(): Iterable<PastCall>
  /** Polls the log while there is a listener, and passes new calls on. The returned function removes the listener. */
  follow(listener: (calls: readonly InspectorCall[]) => void): () => void
  close(): Promise<void>
}

export const MAX_RECENT = 1_000
const MAX_PAST = 100_000
/** The maximum number of different keys. Their indexes fit into a Uint16Array. */
const MAX_KEYS = 20_000
/** Only this last part of the log is read. */
const MAX_BYTES = 32 * 1_024 * 1_024
const POLL_MS = 250

const NOT_FOUND: ReadonlySet<string> = new Set(['SERVER_NOT_FOUND', 'TOOL_NOT_FOUND', 'COMMAND_NOT_FOUND'])

export function createCallHistory(file: string, onError: (error: unknown) => void): CallHistory {
  const tail = createLogTail(file, { lastBytes: MAX_BYTES })
  const listeners = createListeners<[calls: readonly InspectorCall[]]>()
  let recent: InspectorCall[] = []
  const past = createPastCalls()
  let isOpened = false
  let reading: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const read = async () => {
    const older = isOpened ? [] : await olderLines(file, { lastBytes: MAX_BYTES })
    isOpened = true
    const newCalls: InspectorCall[] = []
    const take = (line: string) => {
      const call = readCall(line)
      if (call === undefined) return
      past.add(call)
      newCalls.push(call)
      // Limits the memory: only the last calls are shown.
      if (newCalls.length > 2 * MAX_RECENT) newCalls.splice(0, MAX_RECENT)
    }
    await inSlices(older, take)
    await inSlices(await tail.next(), take)
    if (newCalls.length === 0) return
    recent = [...recent, ...newCalls].slice(-MAX_RECENT)
    listeners.tell(newCalls.slice(-MAX_RECENT))
  }
  const refresh = (): Promise<void> => {
    if (isClosed) return Promise.resolve()
    reading ??= read()
      .catch(onError)
      .finally(() => {
        reading = undefined
      })
    return reading
  }
  return {
    refresh,
    get recent() {
      return recent
    },
    past: past.all,
    follow(listener) {
      const remove = listeners.add(listener)
      if (listeners.size === 1) timer = setInterval(() => void refresh(), POLL_MS).unref()
      return () => {
        remove()
        if (listeners.size === 0) clearInterval(timer)
      }
    },
    async close() {
      isClosed = true
      clearInterval(timer)
      await reading
      await tail.close()
    },
  }
}

/** A ring buffer of arrays of numbers: 100,000 objects would take ten times the memory. */
function createPastCalls() {
  const times = new Float64Array(MAX_PAST)
  const durations = new Float32Array(MAX_PAST)
  const keyIndexes = new Uint16Array(MAX_PAST)
  const errors = new Uint8Array(MAX_PAST)
  const keys: CallKey[] = []
  const indexByText = new Map<string, number>()
  let added = 0

  /** Undefined if there are too many keys. The call is then left out. */
  const keyIndexOf = (call: InspectorCall): number | undefined => {
    const key = callKey(call)
    const text = JSON.stringify(key)
    const known = indexByText.get(text)
    if (known !== undefined || keys.length >= MAX_KEYS) return known
    indexByText.set(text, keys.length)
    return keys.push(key) - 1
  }
  return {
    add(call: InspectorCall) {
      const keyIndex = keyIndexOf(call)
      const time = Date.parse(call.time)
      if (keyIndex === undefined || Number.isNaN(time)) return
      const at = added % MAX_PAST
      times[at] = time
      durations[at] = call.durationMs
      keyIndexes[at] = keyIndex
      errors[at] = call.outcome === 'ok' ? 0 : 1
      added++
    },
    *all(): Generator<PastCall> {
      for (let number = Math.max(0, added - MAX_PAST); number < added; number++) {
        const at = number % MAX_PAST
        const key = keys[keyIndexes[at] ?? 0]
        if (key === undefined) continue
        yield { time: times[at] ?? 0, durationMs: durations[at] ?? 0, isError: errors[at] === 1, key }
      }
    },
  }
}

export function callKey({ principal, server, tool, transport, outcome }: InspectorCall): CallKey {
  return { principal, server, tool, transport, isUnknown: NOT_FOUND.has(outcome) }
}

/** Undefined if the line is not the record of a call: another version or another program may have written it. */
export function readCall(line: string): InspectorCall | undefined {
  const record = parseJson(line)
  if (!isRecord(record) || record.event !== 'call' || !isRecord(record.caller)) return undefined
  const { time, server, tool, outcome, durationMs, arguments: args, result } = record
  const { principal, transport } = record.caller
  const texts = [time, server, tool, outcome, principal, transport]
  if (!texts.every((text) => typeof text === 'string') || typeof durationMs !== 'number') return undefined
  const { bytes, shape } = isRecord(args) ? args : {}
  const resultBytes = isRecord(result) ? result.bytes : undefined
  return {
    time: String(time),
    principal: String(principal),
    server: String(server),
    tool: String(tool),
    outcome: String(outcome),
    durationMs,
    transport: String(transport),
    argumentBytes: typeof bytes === 'number' ? bytes : 0,
    ...(shape === undefined ? {} : { argumentShape: shape }),
    ...(typeof resultBytes === 'number' ? { resultBytes } : {}),
  }
}
