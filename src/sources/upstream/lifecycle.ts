// Starts a server on first use and stops it when it is idle. After a failed start it waits before the next start.

import type { StopSignal } from '../../core/stop-signal.ts'
import { unlessAborted } from '../../core/waiting.ts'
import type { SourceInfo } from '../source.ts'
import { FailedElsewhere } from './start-failure.ts'
import type { StartLimiter, StartTicket } from './start-limiter.ts'

/** A running server. It ends by itself or is closed. */
export interface Running {
  readonly closed: Promise<string>
  close(): Promise<void>
}

export interface ServerState {
  readonly state: SourceInfo['state']
  /** The reason of the failure, or how the server ended. */
  readonly reason?: string
  readonly since: number
  /** The earliest time of the next start. */
  readonly retryAt?: number
  readonly failure?: Error
  /** How many starts have failed in a row. Absent if the last one did not. */
  readonly failures?: number
  /** The duration of the last start, while the server is connected. */
  readonly startMs?: number
}

interface LifecycleOptions<R extends Running> {
  start(signal: AbortSignal): Promise<R>
  readonly limiter: StartLimiter
  /** The idle time before a stop. 0 means never. Read again after every use. */
  idleMs(): number
  /**
   * The longest wait after the first failed start. It doubles with each failure, up to `maxBackoffMs`. The actual wait
   * is random, and at least half of it.
   */
  readonly backoffMs: number
  readonly maxBackoffMs: number
  readonly now: () => number
  /** Returns a number from 0 to 1. */
  readonly random: () => number
  onState(state: ServerState): void
}

export type Lifecycle<R extends Running> = ReturnType<typeof createLifecycle<R>>

/** The error if the server does not run. It has the time until the next start is allowed. */
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

export function createLifecycle<R extends Running>(options: LifecycleOptions<R>) {
  const { limiter, now, random, onState } = options
  let state: ServerState = { state: 'known', since: now() }
  let running: R | undefined
  let starting: Start<R> | undefined
  let failures = 0
  let lastFailure: Error | undefined
  let isDisposed = false
  let closing: Promise<unknown> = Promise.resolve()
  const idleWatch = createIdleWatch({
    idleMs: options.idleMs,
    isRunning: () => running !== undefined,
    onIdle: () => void stop(),
  })

  const enter = (next: Omit<ServerState, 'since'>) => {
    state = { ...next, since: now() }
    onState(state)
  }

  const begin = (isUrgent: boolean): Start<R> => {
    const aborting = new AbortController()
    const ticket = limiter.enter(aborting.signal, isUrgent)
    // After a failed start the state stays `failed` until a start succeeds or is stopped. A retry does not change it.
    if (state.state !== 'failed') enter({ state: 'starting' })
    const run = async (): Promise<R> => {
      try {
        await ticket.ready
        // Two processes of the same server could conflict over its files.
        await closing
        const beganAt = now()
        const started = await options.start(aborting.signal)
        if (aborting.signal.aborted) {
          await started.close()
          throw new Error('it was stopped while it started')
        }
        succeed(started, now() - beganAt)
        return started
      } catch (error) {
        starting = undefined
        const cause = error instanceof Error ? error : new Error(String(error))
        if (!aborting.signal.aborted) throw fail(cause)
        // It was stopped on purpose, so this is not a failure.
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

  const succeed = (started: R, startMs: number) => {
    starting = undefined
    running = started
    failures = 0
    lastFailure = undefined
    enter({ state: 'connected', startMs })
    void started.closed.then((how) => forget(started, how))
    idleWatch.begin()
  }
  const fail = (cause: Error): NotRunning => {
    failures = cause instanceof FailedElsewhere ? Math.max(failures, cause.failures) : failures + 1
    lastFailure = cause
    const longestMs = Math.min(options.maxBackoffMs, options.backoffMs * 2 ** (failures - 1))
    const pauseMs = cause instanceof FailedElsewhere ? cause.waitMs : longestMs
    // The random part prevents servers that failed together from restarting together.
    const waitMs = Math.ceil(pauseMs * (0.5 + random() / 2))
    enter({ state: 'failed', reason: cause.message, failure: cause, failures, retryAt: now() + waitMs })
    return new NotRunning(cause, waitMs)
  }
  const end = async (gone: R, reason?: string) => {
    forget(gone, reason)
    const ending = gone.close().catch(() => {})
    closing = Promise.all([closing, ending])
    await ending
  }
  // A crash does not delay the next start. Only a failed start does.
  const forget = (gone: R, reason?: string) => {
    if (running !== gone) return
    running = undefined
    idleWatch.end()
    enter({ state: 'known', ...(reason === undefined ? {} : { reason }) })
  }

  const stop = async () => {
    if (starting !== undefined) {
      starting.abort()
      await starting.done.catch(() => {})
    }
    // `end` removes the server before it closes it, so that callers do not get a server that is about to end.
    if (running !== undefined) await end(running)
    await closing
  }

  return {
    state: () => state,
    get running() {
      return running
    },
    /**
     * Returns the running server and starts it if necessary. Rejects with NotRunning, or when the signal aborts. An
     * abort does not end the start. `isUrgent`: a caller waits for the start, so it comes before starts in the
     * background.
     */
    async ensure(signal: StopSignal, isUrgent = false): Promise<R> {
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
    /** Runs the work. The server does not count as idle until the work is done. */
    async use<T>(used: R, work: (used: R) => Promise<T>): Promise<T> {
      idleWatch.enter()
      try {
        return await work(used)
      } finally {
        idleWatch.leave()
      }
    },
    /** Closes a server that is no longer usable. */
    drop: end,
    /**
     * Waits as if a start had failed, because another gateway could not start the server. Has no effect while the
     * server runs or starts.
     */
    pause(cause: FailedElsewhere) {
      if (running === undefined && starting === undefined && !isDisposed) fail(cause)
    },
    /** Allows a start at once, because the reason of the last failure is removed. */
    endPause() {
      lastFailure = undefined
      failures = 0
    },
    stop,
    /** Stops the server and allows no more starts. */
    async [Symbol.asyncDispose]() {
      isDisposed = true
      await stop()
    },
  }
}

interface IdleWatchOptions extends Pick<LifecycleOptions<Running>, 'idleMs'> {
  isRunning(): boolean
  onIdle(): void
}

/** Notices that a server was not used for `idleMs`. */
function createIdleWatch({ idleMs, isRunning, onIdle }: IdleWatchOptions) {
  let users = 0
  let timer: NodeJS.Timeout | undefined
  let idleSince = 0

  const wait = (leftMs: number) => {
    if (idleMs() === 0) return
    timer = setTimeout(() => {
      timer = undefined
      if (users > 0 || !isRunning()) return
      const nextMs = idleSince + idleMs() - performance.now()
      if (nextMs <= 0) onIdle()
      else wait(nextMs)
    }, Math.ceil(leftMs)).unref()
  }
  /** Counts the idle time from now. Called when the server has started, and after each use. */
  const begin = () => {
    idleSince = performance.now()
    // A running timer checks the time itself. A new timer for each call would cost more than the check.
    if (users === 0 && isRunning() && timer === undefined) wait(idleMs())
  }
  return {
    begin,
    /** Called when a use begins. The server does not count as idle until `leave` is called. */
    enter() {
      users++
    },
    leave() {
      users--
      begin()
    },
    end() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
