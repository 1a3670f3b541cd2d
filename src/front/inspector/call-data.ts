// The calls for the inspector: the latest ones, figures over time, and a stream of new calls.

import type { InspectorCall, InspectorUsage } from './api.ts'
import { createMayKnow, usageOver } from './call-figures.ts'
import { type CallHistory, callKey, MAX_RECENT } from './call-history.ts'
import type { ComparedStrategies } from './compared-strategies.ts'
import type { InspectorOptions, InspectorReports, Saving } from './inspector-options.ts'
import { redactAnswer } from './redact-answer.ts'
import type { TokenCosts } from './token-costs.ts'
import { Refusal, type Visit } from './visit.ts'

interface CallDataOptions {
  readonly gateway: InspectorOptions['gateway']
  readonly history: CallHistory
  readonly tokens: TokenCosts
  readonly strategies: ComparedStrategies
  readonly savings: InspectorReports['savings']
  /** Ends all streams. */
  readonly signal: AbortSignal
  onError(error: unknown): void
}

const MAX_STREAMS = 64
const TOO_MANY_PAGES = `${MAX_STREAMS} pages of this login already follow the calls. Close one of them, then reload this page.`
const MAX_MINUTES = 24 * 60
const DEFAULT_CALLS = 200
const MAX_CALLS = 1_000

export function createCallData(options: CallDataOptions) {
  const { gateway, history, tokens, strategies, savings, signal, onError } = options
  /** The open streams of each principal. */
  const streams = new Map<string, number>()
  /** The tokens per byte of the list that a client gets. `tokensPerToolByte` are those of the texts of all tools. */
  const tokensPerListByte = async ({ view }: Visit, tokensPerToolByte: number | undefined) => {
    const current = strategies.create(strategies.current, signal)
    // A list that describes the catalog is not counted: each count would take long, and its ratio is similar.
    if (current === undefined || current.strategy.listsCatalog === true) return tokensPerToolByte
    try {
      const listed = await current.list(view)
      return (await tokens.countListing(listed)) / Buffer.byteLength(JSON.stringify(listed))
    } catch (error) {
      // The other figures of the answer do not need the list.
      onError(error)
      return tokensPerToolByte
    }
  }
  const savingsSince = async (since: number, visit: Visit): Promise<readonly Saving[] | undefined> => {
    if (savings === undefined) return undefined
    const { tools } = visit.view.visible
    await tokens.count(tools)
    const listTokens = new Map<string, number>()
    for (const tool of tools) {
      listTokens.set(tool.sourceId, (listTokens.get(tool.sourceId) ?? 0) + (tokens.of(tool) ?? 0))
    }
    const tokensPerToolByte = tokens.perByte(tools)
    const tokensPerByte = { lists: await tokensPerListByte(visit, tokensPerToolByte), answers: tokensPerToolByte }
    return savings(since, { listTokens, tokensPerByte })
  }
  return {
    async latest(visit: Visit): Promise<readonly InspectorCall[]> {
      const limit = readNumber(visit.query.get('limit'), { name: 'limit', fallback: DEFAULT_CALLS, max: MAX_CALLS })
      await history.refresh()
      const mayKnow = createMayKnow(visit)
      return history.recent
        .filter((call) => mayKnow(callKey(call)))
        .slice(-limit)
        .toReversed()
    },
    async usage(visit: Visit): Promise<InspectorUsage> {
      const minutes = readNumber(visit.query.get('minutes'), { name: 'minutes', fallback: 60, max: MAX_MINUTES })
      const now = Date.now()
      await history.refresh()
      const saved = visit.isUnlimited ? await savingsSince(now - minutes * 60_000, visit) : undefined
      return usageOver(minutes, now, history.past(), visit, saved)
    },
    /** Refuses a stream beyond the limit of its principal, because each one is a connection that stays open. */
    async stream(visit: Visit): Promise<Response> {
      // After this, the stream sends only newer calls.
      await history.refresh()
      const { principal } = visit.caller
      const open = streams.get(principal) ?? 0
      if (open >= MAX_STREAMS) throw new Refusal({ status: 503, message: TOO_MANY_PAGES })
      streams.set(principal, open + 1)
      const ending = AbortSignal.any([visit.signal, signal])
      const leave = () => {
        const left = (streams.get(principal) ?? 1) - 1
        if (left === 0) streams.delete(principal)
        else streams.set(principal, left)
      }
      // The client may have disconnected during the refresh.
      if (ending.aborted) leave()
      else ending.addEventListener('abort', leave, { once: true })
      const select = async (calls: readonly InspectorCall[]) => {
        if (calls.length === 0) return calls
        // The tools may have changed since the stream was opened.
        const mayKnow = createMayKnow({ ...visit, view: await gateway.crib.inspect(ending, visit.caller) })
        return redactAnswer(
          calls.filter((call) => mayKnow(callKey(call))),
          gateway.redact,
        ) as Promise<readonly InspectorCall[]> // redaction keeps the form
      }
      const body = createCallStream({ history, select, signal: ending })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    },
  }
}

/** Reads a number of the query. */
function readNumber(
  text: string | null,
  { name, fallback, max }: { readonly name: string; readonly fallback: number; readonly max: number },
): number {
  if (text === null) return fallback
  if (/^\d{1,6}$/.test(text) && Number(text) >= 1 && Number(text) <= max) return Number(text)
  throw new Refusal({ status: 400, message: `'${name}' must be a whole number from 1 to ${max}.` })
}

interface CallStreamOptions {
  readonly history: Pick<CallHistory, 'follow'>
  /** Returns the calls that the client may know about, without secrets. */
  select(calls: readonly InspectorCall[]): Promise<readonly InspectorCall[]>
  /** Ends the stream when it aborts. */
  readonly signal: AbortSignal
  readonly pingMs?: number
}

const PING_MS = 15_000

/** A comment in the event stream. It keeps the connection open through proxies, and reveals a broken connection. */
const PING = ': ping\n\n'

/** Streams new calls as server-sent events. A client that reads too slowly misses calls: this limits the memory. */
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
