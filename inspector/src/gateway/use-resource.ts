// Loads JSON for a view, and loads it again when the path changes, at an interval, or on request.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { type RequestFailure, requestJson } from './request.ts'
import { reportFailure } from './session.ts'

export interface LoadedResource<T> {
  /** The last data from this path. It stays while newer data is loading. */
  readonly data: T | undefined
  readonly failure: RequestFailure | undefined
  /** True until the first answer from this path. */
  readonly isLoading: boolean
  reload(): void
}

/** A request that is in flight for longer than this is replaced at the next interval. */
const MAX_WAIT_MS = 60_000

interface Loaded<T> {
  readonly path: string
  readonly data?: T
  readonly failure?: RequestFailure
}

/** Loads nothing if `path` is undefined. With `everyMs`, it loads again at this interval while the tab is visible. */
export function useResource<T>(path: string | undefined, everyMs?: number): LoadedResource<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>()
  const [round, setRound] = useState(0)
  /** Until this time, the interval does not replace the request in flight. 0 if there is none. */
  const waitsUntil = useRef(0)

  useEffect(() => {
    if (path === undefined) return
    const stop = new AbortController()
    waitsUntil.current = performance.now() + MAX_WAIT_MS
    requestJson<T>(path, { signal: stop.signal })
      .then(
        (data) => stop.signal.aborted || setLoaded({ path, data }),
        (error: unknown) => {
          if (stop.signal.aborted) return
          const failure = reportFailure(error)
          // The last data stays on the screen beside the failure.
          setLoaded((before) => (before?.path === path ? { ...before, failure } : { path, failure }))
        },
      )
      .finally(() => {
        if (!stop.signal.aborted) waitsUntil.current = 0
      })
    return () => stop.abort()
  }, [path, round])

  useEffect(() => {
    if (everyMs === undefined) return
    const timer = setInterval(() => {
      if (!document.hidden && performance.now() >= waitsUntil.current) setRound((n) => n + 1)
    }, everyMs)
    return () => clearInterval(timer)
  }, [everyMs])

  const reload = useCallback(() => setRound((n) => n + 1), [])
  const current = loaded?.path === path ? loaded : undefined
  return {
    data: current?.data,
    failure: current?.failure,
    isLoading: path !== undefined && current === undefined,
    reload,
  }
}
