// Streams new calls as server-sent events. A client that reads too slowly misses calls, so the memory stays bounded.

import type { InspectorCall } from './api.ts'
import { type CallHistory, MAX_RECENT } from './call-history.ts'

interface CallStreamOptions {
  readonly history: Pick<CallHistory, 'follow'>
  /** Returns the calls that the client may know about, without secrets. */
  select(calls: readonly InspectorCall[]): Promise<readonly InspectorCall[]>
  /** Ends the stream when it aborts. */
  readonly signal: AbortSignal
  readonly pingMs?: number
}

const PING_MS = 15_000

/** A comment. It keeps the connection open through proxies, and reveals a broken connection. */
const PING = ': ping\n\n'

export function createCallStream(options: CallStreamOptions): ReadableStream<Uint8Array> {
  const { history, select, signal, pingMs = PING_MS } = options
  const encoder = new TextEncoder()
  let waiting: InspectorCall[] = []
  let skipped = 0
  let isPingDue = true
  let wake: (() => void) | undefined
  let isEnded = false

  const awaken = () => {
    wake?.()
    wake = undefined
  }
  const unfollow = history.follow((calls) => {
    waiting.push(...calls)
    const excess = waiting.length - MAX_RECENT
    if (excess > 0) {
      waiting = waiting.slice(excess)
      skipped += excess
    }
    awaken()
  })
  const timer = setInterval(() => {
    isPingDue = true
    awaken()
  }, pingMs)
  timer.unref()
  const end = () => {
    isEnded = true
    unfollow()
    clearInterval(timer)
    signal.removeEventListener('abort', end)
    awaken()
  }
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()

  /** The next text to send. Undefined if there is none. */
  const next = async (): Promise<string | undefined> => {
    // Both are taken now: calls that come during `select` belong to the next text.
    const [calls, missing] = [waiting, skipped]
    waiting = []
    skipped = 0
    const events = (await select(calls)).map((call) => `data: ${JSON.stringify(call)}\n\n`)
    // `missing` counts the calls of all callers, so the client is told only that some are missing.
    const gap = missing > 0 ? ['event: skipped\ndata: {}\n\n'] : []
    const ping = isPingDue ? [PING] : []
    isPingDue = false
    const text = [...ping, ...gap, ...events].join('')
    return text === '' ? undefined : text
  }
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      while (!isEnded) {
        const text = await next()
        if (text !== undefined) return controller.enqueue(encoder.encode(text))
        await new Promise<void>((resolve) => {
          // A call or a ping may have become due during `select`.
          if (waiting.length > 0 || isPingDue || isEnded) resolve()
          else wake = resolve
        })
      }
      controller.close()
    },
    cancel: end,
  })
}
