// The latest calls of the gateway: first the calls so far, then each new call as it happens.

import { useEffect, useRef, useState } from 'preact/hooks'
import type { InspectorCall } from '../../../src/front/inspector/api.ts'
import { readEvents } from './events.ts'
import { failureOf, type RequestFailure, requestJson, send } from './request.ts'
import { reportFailure } from './session.ts'

export const MAX_CALLS = 500
const RETRY_MS = 3_000
/** Calls that arrive within this time are drawn together. */
const DRAW_MS = 200

export interface NumberedCall extends InspectorCall {
  /** Unique on this page. A call that this page received later has a higher key. */
  readonly key: number
}

interface CallsStream {
  readonly calls: readonly NumberedCall[] | undefined
  readonly isConnected: boolean
  readonly failure: RequestFailure | undefined
  /** The number of calls that are not shown yet because the list is paused. */
  readonly waiting: number
  /** True if the stream has left out calls since the list was loaded. */
  readonly isIncomplete: boolean
}

let lastKey = 0
const withKey = (call: InspectorCall): NumberedCall => ({ ...call, key: ++lastKey })

/** While `isPaused` is true, the list that is shown stays as it is, even if the stream connects again. */
export function useCalls(isPaused: boolean): CallsStream {
  const [latest, setLatest] = useState<readonly NumberedCall[]>()
  const [isConnected, setIsConnected] = useState(false)
  const [isIncomplete, setIsIncomplete] = useState(false)
  const [failure, setFailure] = useState<RequestFailure>()

  useEffect(() => {
    const stop = new AbortController()
    const { signal } = stop
    let buffer: NumberedCall[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const draw = () => {
      timer = undefined
      const arrived = buffer.reverse()
      buffer = []
      setLatest((before = []) => [...arrived, ...before].slice(0, MAX_CALLS))
    }
    const follow = async () => {
      const response = await send('api/calls/stream', { signal })
      if (!response.ok || response.body === null)
        throw failureOf(response.status, await response.json().catch(() => null))
      // The stream opens first, so that no call is lost between the two requests. A call may be in both.
      const before = await requestJson<readonly InspectorCall[]>('api/calls', { signal })
      const known = new Set(before.map(signatureOf))
      setLatest((current = []) => withKeys(before.slice(0, MAX_CALLS), current))
      setIsConnected(true)
      setIsIncomplete(false)
      setFailure(undefined)
      for await (const { name, data } of readEvents(response.body)) {
        // The gateway left calls out because this page read too slowly.
        if (name === 'skipped') setIsIncomplete(true)
        if (name !== 'message') continue
        const call = JSON.parse(data) as InspectorCall // the gateway of the same package writes it
        if (known.delete(signatureOf(call))) continue
        buffer.push(withKey(call))
        timer ??= setTimeout(draw, DRAW_MS)
      }
    }
    const run = async () => {
      while (!signal.aborted) {
        await follow().catch((error: unknown) => {
          if (!signal.aborted) setFailure(reportFailure(error))
        })
        if (signal.aborted) return
        setIsConnected(false)
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
    void run()
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [])

  const shown = useRef(latest)
  if (!isPaused || shown.current === undefined) shown.current = latest
  const newest = Math.max(0, ...(shown.current ?? []).map(({ key }) => key))
  const waiting = (latest ?? []).filter(({ key }) => key > newest).length
  return { calls: shown.current, isConnected, failure, waiting, isIncomplete }
}

/** The calls, the latest first. A call that is in `known` keeps its key; the others get higher keys. */
function withKeys(calls: readonly InspectorCall[], known: readonly NumberedCall[]): readonly NumberedCall[] {
  const left = new Map(known.map((call) => [signatureOf(call), call]))
  const oldestFirst = calls.toReversed().map((call) => {
    const signature = signatureOf(call)
    const same = left.get(signature)
    left.delete(signature)
    return same ?? withKey(call)
  })
  return oldestFirst.reverse()
}

function signatureOf({ time, server, tool, durationMs }: InspectorCall): string {
  return `${time} ${server}:${tool} ${durationMs}`
}
