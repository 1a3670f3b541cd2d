// The calls for the inspector: the latest ones, figures over time, and a stream of new calls.

import type { InspectorCall, InspectorUsage } from './api.ts'
import { createMayKnow, usageOver } from './call-figures.ts'
import { type CallHistory, callKey } from './call-history.ts'
import { createCallStream } from './call-stream.ts'
import type { InspectorOptions, InspectorReports, Saving } from './inspector-options.ts'
import { redactAnswer } from './redact-answer.ts'
import type { TokenCosts } from './token-costs.ts'
import { Refusal, type Visit } from './visit.ts'

interface CallDataOptions {
  readonly gateway: InspectorOptions['gateway']
  readonly history: CallHistory
  readonly tokens: TokenCosts
  readonly savings: InspectorReports['savings']
  /** Ends all streams. */
  readonly signal: AbortSignal
}

interface CallData {
  latest(visit: Visit): Promise<readonly InspectorCall[]>
  usage(visit: Visit): Promise<InspectorUsage>
  /** Refuses a stream beyond the limit, because each one is a connection that stays open. */
  stream(visit: Visit): Promise<Response>
}

const MAX_STREAMS = 64
const TOO_MANY_PAGES = `${MAX_STREAMS} pages already follow the calls. Close one of them, then reload this page.`
const MAX_MINUTES = 24 * 60
const DEFAULT_CALLS = 200
const MAX_CALLS = 1_000

export function createCallData({ gateway, history, tokens, savings, signal }: CallDataOptions): CallData {
  let streams = 0
  const savingsSince = async (since: number, { view }: Visit): Promise<readonly Saving[] | undefined> => {
    if (savings === undefined) return undefined
    await tokens.count(view.visible.tools)
    const listTokens = new Map<string, number>()
    for (const tool of view.visible.tools) {
      listTokens.set(tool.sourceId, (listTokens.get(tool.sourceId) ?? 0) + (tokens.of(tool) ?? 0))
    }
    return savings(since, listTokens)
  }
  return {
    async latest(visit) {
      const limit = readNumber(visit.query.get('limit'), { name: 'limit', fallback: DEFAULT_CALLS, max: MAX_CALLS })
      await history.refresh()
      const mayKnow = createMayKnow(visit)
      return history.recent
        .filter((call) => mayKnow(callKey(call)))
        .slice(-limit)
        .toReversed()
    },
    async usage(visit) {
      const minutes = readNumber(visit.query.get('minutes'), { name: 'minutes', fallback: 60, max: MAX_MINUTES })
      const now = Date.now()
      await history.refresh()
      const saved = visit.isUnlimited ? await savingsSince(now - minutes * 60_000, visit) : undefined
      return usageOver(minutes, now, history.past(), visit, saved)
    },
    async stream(visit) {
      // After this, the stream sends only newer calls.
      await history.refresh()
      if (streams >= MAX_STREAMS) throw new Refusal({ status: 503, message: TOO_MANY_PAGES })
      streams++
      const ending = AbortSignal.any([visit.signal, signal])
      ending.addEventListener('abort', () => streams--, { once: true })
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
