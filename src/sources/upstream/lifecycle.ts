// When a server runs: started on first need, stopped when idle, left alone for a while after it failed to start.

import type { StopSignal } from '../../core/stop-signal.ts'
import { unlessAborted } from '../../core/unless-aborted.ts'
import type { StartLimiter, StartTicket } from './start-limiter.ts'

/** What can be started, ends by itself or is ended. */
export interface Running {
  readonly closed: Promise<string>
  close(): Promise<void>
}

export interface ServerState {
  /** `known`: not running, and no reason why it could not. */
  readonly state: 'known' | 'starting' | 'connected' | 'failed'
  /** Why it failed, or how it ended by itself. */
  readonly reason?: string
  readonly since: number
  /** The earliest time of the next start. */
  readonly retryAt?: number
  /** What it failed with. */
  readonly failure?: Error
}

export interface LifecycleOptions<R extends Running> {
  start(signal: AbortSignal): Promise<R>
  readonly limiter: StartLimiter
  /** Stopped after this long without use; 0 never. Asked anew after every use. */
  idleMs(): number
  /** The wait after the first failed start; doubled with each further one, up to `maxBackoffMs`. */
  readonly backoffMs: number
  readonly maxBackoffMs: number
  readonly now: () => number
  /** From 0 up to 1. */
  readonly random: () => number
  onState(state: ServerState): void
}

export interface Lifecycle<R extends Running> {
  state(): ServerState
  readonly running: R | undefined
  /** What runs, started if need be. Rejects with a NotRunning, or when the signal aborts; the start then goes on. */
  ensure(signal: StopSignal, isUrgent?: boolean): Promise<R>
  /** Not stopped for idleness until the work is done. */
  use<T>(running: R, work: (running: R) => Promise<T>): Promise<T>
  /** This one is of no use any more. */
  drop(running: R, reason: string): Promise<void>
  stop(): Promise<void>
  /** No more starts. */
  [Symbol.asyncDispose](): Promise<void>
}

/** It does not run, and when it may be tried again. */
export class NotRunning extends Error {
  override readonly name = 'NotRunning'
  readonly retryAfterMs: number

  constructor(cause: Error, retryAfterMs: number) {
    super(cause.message, { cause })
    this.retryAfterMs = retryAfterMs
  }
}

interface Start<R> {
  readonly done: Promise<R>
  readonly ticket: StartTicket
  abort(): void
}

export function createLifecycle<R extends Running>(options: LifecycleOptions<R>): Lifecycle<R> {
  const { limiter, now, random, onState } = options
  let state: ServerState = { state: 'known', since: now() }
  let running: R | undefined
  let starting: Start<R> | undefined
  let failures = 0
  let lastFailure: Error | undefined
  let users = 0
  let idleTimer: NodeJS.Timeout | undefined
  let isDisposed = false
  let closing: Promise<unknown> = Promise.resolve()

  const enter = (next: Omit<ServerState, 'since'>) => {
    state = { ...next, since: now() }
    onState(state)
  }
  const rest = () => {
    clearTimeout(idleTimer)
    const idleMs = options.idleMs()
    if (idleMs === 0 || users > 0 || running === undefined) return
    idleTimer = setTimeout(() => void stop(), idleMs)
    idleTimer.unref()
  }

  const begin = (isUrgent: boolean): Start<R> => {
    const aborting = new AbortController()
    const ticket = limiter.enter(aborting.signal, isUrgent)
    // A server whose last start failed stays `failed` until a start succeeds; a retry does not change the state.
    if (state.state !== 'failed') enter({ state: 'starting' })
    const run = async (): Promise<R> => {
      try {
        await ticket.ready
        // Two of one server at a time would fight over its files.
        await closing
        const started = await options.start(aborting.signal)
        if (aborting.signal.aborted) {
          await started.close()
          throw new Error('it was stopped while it started')
        }
        succeed(started)
        return started
      } catch (error) {
        const cause = error instanceof Error ? error : new Error(String(error))
        starting = undefined
        if (!aborting.signal.aborted) throw fail(cause)
        // It was stopped on purpose, so the server did not fail.
        enter({ state: 'known' })
        throw new NotRunning(cause, 0)
      } finally {
        ticket.leave()
      }
    }
    const done = run()
    done.catch(() => {})
    return { done, ticket, abort: () => aborting.abort(new Error('it was stopped while it started')) }
  }

  const succeed = (started: R) => {
    starting = undefined
    running = started
    failures = 0
    lastFailure = undefined
    enter({ state: 'connected' })
    void started.closed.then((how) => forget(started, how))
    rest()
  }
  const fail = (cause: Error): NotRunning => {
    failures++
    lastFailure = cause
    const longestMs = Math.min(options.maxBackoffMs, options.backoffMs * 2 ** (failures - 1))
    // Half of it at random: servers that failed together do not return together.
    const waitMs = Math.ceil(longestMs * (0.5 + random() / 2))
    enter({ state: 'failed', reason: cause.message, failure: cause, retryAt: now() + waitMs })
    return new NotRunning(cause, waitMs)
  }
  const end = async (gone: R, reason?: string) => {
    forget(gone, reason)
    const ending = gone.close().catch(() => {})
    closing = Promise.all([closing, ending])
    await ending
  }
  // A crash does not count against the next start: only a failed start does.
  const forget = (gone: R, reason?: string) => {
    if (running !== gone) return
    running = undefined
    clearTimeout(idleTimer)
    enter({ state: 'known', ...(reason === undefined ? {} : { reason }) })
  }

  const stop = async () => {
    if (starting !== undefined) {
      starting.abort()
      await starting.done.catch(() => {})
    }
    // Without waiting first: nobody is to be handed what is about to end.
    if (running !== undefined) await end(running)
    await closing
  }

  return {
    state: () => state,
    get running() {
      return running
    },
    async ensure(signal, isUrgent = false) {
      signal.throwIfAborted()
      if (running !== undefined) return running
      if (isDisposed) throw new NotRunning(new Error('the gateway is stopping'), 0)
      if (starting === undefined) {
        const waitMs = (state.retryAt ?? 0) - now()
        if (lastFailure !== undefined && waitMs > 0) throw new NotRunning(lastFailure, waitMs)
        starting = begin(isUrgent)
      } else if (isUrgent) {
        starting.ticket.hurry()
      }
      return unlessAborted(starting.done, signal)
    },
    async use(used, work) {
      users++
      clearTimeout(idleTimer)
      try {
        return await work(used)
      } finally {
        users--
        rest()
      }
    },
    drop: end,
    stop,
    async [Symbol.asyncDispose]() {
      isDisposed = true
      await stop()
    },
  }
}
