// The calls in the audit log: the last 1,000 in full, and a short form of the last 100,000 for figures.

import { getOrMake, inSlices } from '../../core/collections.ts'
import { isRecord } from '../../core/is-record.ts'
import { parseJson } from '../../core/json.ts'
import { createListeners } from '../../core/listeners.ts'
import { UNKNOWN_NAME_CODES } from '../../core/unknown-name-codes.ts'
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
  /** True if the name in the call did not identify one tool for its caller. `server` and `tool` are then empty. */
  readonly isUnknown: boolean
}

export interface CallHistory {
  /** Reads the records since the last refresh. The first refresh reads the last part of the log. */
  refresh(): Promise<void>
  /** The last 1,000 calls, oldest first. */
  readonly recent: readonly InspectorCall[]
  /** The short forms of the last 100,000 calls, or of fewer if they have too many different keys. Oldest first. */
  past(): Iterable<PastCall>
  /** Polls the log while there is a listener, and passes new calls on. The returned function removes the listener. */
  follow(listener: (calls: readonly InspectorCall[]) => void): () => void
  close(): Promise<void>
}

export const MAX_RECENT = 1_000
const MAX_PAST = 100_000
/** The maximum number of different keys. */
const MAX_KEYS = 20_000
/** Only this last part of the log is read. */
const MAX_BYTES = 32 * 1_024 * 1_024
const POLL_MS = 250

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

/** A key that past calls share, and how many of them have it. */
interface SharedKey {
  readonly key: CallKey
  readonly text: string
  calls: number
}

/** A ring buffer of arrays of numbers: 100,000 objects would take ten times the memory. */
function createPastCalls() {
  const times = new Float64Array(MAX_PAST)
  const durations = new Float32Array(MAX_PAST)
  const errors = new Uint8Array(MAX_PAST)
  const keys: SharedKey[] = []
  const keyByText = new Map<string, SharedKey>()
  let added = 0
  let forgotten = 0

  const forgetOldest = () => {
    const shared = keys[forgotten % MAX_PAST]
    forgotten++
    if (shared === undefined) return
    shared.calls--
    if (shared.calls === 0) keyByText.delete(shared.text)
  }
  return {
    add(call: InspectorCall) {
      const time = Date.parse(call.time)
      if (Number.isNaN(time)) return
      if (added - forgotten === MAX_PAST) forgetOldest()
      const key = callKey(call)
      const text = JSON.stringify(key)
      while (keyByText.size >= MAX_KEYS && !keyByText.has(text)) forgetOldest()
      const shared = getOrMake(keyByText, text, () => ({ key, text, calls: 0 }))
      shared.calls++
      const at = added % MAX_PAST
      times[at] = time
      durations[at] = call.durationMs
      errors[at] = call.outcome === 'ok' ? 0 : 1
      keys[at] = shared
      added++
    },
    *all(): Generator<PastCall> {
      for (let number = forgotten; number < added; number++) {
        const at = number % MAX_PAST
        const shared = keys[at]
        if (shared === undefined) continue
        yield { time: times[at] ?? 0, durationMs: durations[at] ?? 0, isError: errors[at] === 1, key: shared.key }
      }
    },
  }
}

/** The client chose the names of an unknown tool, so all such calls of a principal share one key. */
export function callKey({ principal, server, tool, transport, outcome }: InspectorCall): CallKey {
  const isUnknown = UNKNOWN_NAME_CODES.has(outcome)
  return { principal, transport, ...(isUnknown ? { server: '', tool: '' } : { server, tool }), isUnknown }
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
