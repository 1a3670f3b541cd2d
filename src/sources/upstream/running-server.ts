// The connection of a source: starts it when it is needed, keeps the list of tools current, and shares failed starts.

import { kindOf } from '../../config/connection-kinds.ts'
import { unlessAborted } from '../../core/waiting.ts'
import type { ServerLogin } from './auth/server-login.ts'
import type { CallOutcome } from './call-outcome.ts'
import { createLifecycle, type Lifecycle, type Running, type ServerState } from './lifecycle.ts'
import type { Listing } from './listing.ts'
import { type Manifest, manifestKey } from './manifest.ts'
import type { Session } from './session.ts'
import type { UpstreamSettings } from './settings.ts'
import { FailedElsewhere, remedyFor, StartFailure } from './start-failure.ts'
import type { SessionStarter } from './start-session.ts'
import type { UpstreamSourceOptions } from './upstream.ts'

interface RunningServerOptions {
  readonly given: UpstreamSourceOptions
  readonly settings: UpstreamSettings
  readonly listing: Listing
  readonly login: ServerLogin
  readonly starter: SessionStarter
  readonly now: () => number
  /** Aborts when the source is closed. */
  readonly closed: AbortSignal
}

interface RunningServer {
  readonly lifecycle: Lifecycle<Session>
  /** Starts the server if necessary. Resolves when its tools are known. */
  ensure(signal: AbortSignal): Promise<Session>
  /** Fetches the list and returns the manifest. Rejects if there is no manifest because the list cannot be fetched. */
  fetchList(session: Session, signal: AbortSignal): Promise<Manifest>
  /** Asks the server for its list in the background, if it runs. */
  refresh(): void
  /** Fetches the list in the background if it is missing or too old. */
  revalidate(): void
  /** Runs the work in a session. Closes the session if the work finds that it is over. */
  use(signal: AbortSignal, work: (session: Session) => Promise<CallOutcome>): Promise<CallOutcome>
  /** Records a call. A server that was called may be idle for longer than a server that has only listed its tools. */
  noteCall(): void
  /** How much of `waitMs` is left, counted from the first start. */
  waitLeft(waitMs: number): number
  [Symbol.asyncDispose](): Promise<void>
}

export function createRunningServer(options: RunningServerOptions): RunningServer {
  const { given, settings, listing, login, starter, now, closed } = options
  const { share, startLimiter, random = Math.random, onState } = given
  const { known } = listing
  let wasCalled = false
  let firstStartAt: number | undefined

  const breaker = createServerBreaker(given, { now, redact: starter.redact })
  const lifecycle = createLifecycle<Session>({
    ...settings,
    async start(signal) {
      await breaker?.check()
      return starter.start(signal)
    },
    limiter: startLimiter,
    now,
    random,
    idleMs: () => (wasCalled ? settings.idleMs : Math.min(settings.idleMs, settings.listedIdleMs)),
    onState(state) {
      firstStartAt ??= state.since
      if (state.state === 'known') wasCalled = false
      // The list may have changed since the manifest was saved, so it is fetched after each start, unless it is recent.
      const { running } = lifecycle
      const isDue = share?.isFresh() !== true && !known.isJustListed
      if (state.state === 'connected' && running !== undefined && isDue && !starter.hasListed(running)) {
        void lifecycle.use(running, (session) => listing.refresh(session))
      }
      breaker?.report(state)
      // The lines of the server explain the failure, so they are passed on before it.
      if (state.state === 'failed') starter.flushOutput()
      onState?.(state)
    },
  })
  const unfollow = breaker?.follow(lifecycle)
  // A refresh does not count as use. Otherwise a server that often changes its list would never be idle.
  const refresh = () => {
    if (lifecycle.running !== undefined) void listing.refresh(lifecycle.running)
  }
  const revalidation = createRevalidation({ listing, lifecycle, login, settings, now, closed, refresh })

  const ensure = async (signal: AbortSignal): Promise<Session> => {
    if (lifecycle.state().state === 'failed') await revalidation.retryAfterLogin()
    const session = await lifecycle.ensure(signal, true)
    if (known.manifest === undefined) await fetchList(session, signal)
    return session
  }
  const fetchList = async (session: Session, signal: AbortSignal) => {
    await unlessAborted(listing.refreshing ?? listing.refresh(session), signal)
    if (known.manifest !== undefined) return known.manifest
    throw new StartFailure('it runs, but its tools could not be listed', { stderr: starter.stderr() })
  }
  return {
    lifecycle,
    ensure,
    fetchList,
    refresh,
    revalidate: revalidation.revalidate,
    async use(signal, work) {
      const session = await ensure(signal)
      wasCalled = true
      const outcome = await lifecycle.use(session, work)
      if (outcome.kind === 'lost' && outcome.isSessionOver) await lifecycle.drop(session, outcome.reason)
      return outcome
    },
    noteCall() {
      wasCalled = true
    },
    waitLeft: (waitMs) => Math.max(0, (firstStartAt ?? now()) + waitMs - now()),
    async [Symbol.asyncDispose]() {
      unfollow?.()
      revalidation.cancel()
      await lifecycle[Symbol.asyncDispose]()
    },
  }
}

interface ServerBreakerOptions {
  readonly now: () => number
  /** Removes secrets from a reason that other gateways read. */
  redact(reason: string): string
}

/** The shared breaker as one server uses it. */
interface ServerBreaker {
  /** Rejects before the first start if another gateway has just failed to start the server. */
  check(): Promise<void>
  /** Tells the other gateways that the server works, or that it cannot be started. */
  report(state: ServerState): void
  /** Pauses the server while another gateway cannot start it. Returns a function that ends this. */
  follow(lifecycle: Lifecycle<Running>): () => void
}

/** Undefined if the failures do not concern other gateways: those of a process, and of the server of one person. */
function createServerBreaker(
  { config, share, breaker }: UpstreamSourceOptions,
  { now, redact }: ServerBreakerOptions,
): ServerBreaker | undefined {
  if (breaker === undefined || share !== undefined || kindOf(config.connection).isProcess) return undefined
  const key = manifestKey(config)
  let isChecked = false
  return {
    async check() {
      if (isChecked) return
      isChecked = true
      const failure = await breaker.read(key)
      if (failure !== undefined) throw failure
    },
    report({ state, failure, failures = 1, reason = '', retryAt = 0 }) {
      if (state === 'connected') breaker.works(key)
      // A missing login or variable does not concern the other gateways.
      if (state !== 'failed' || failure instanceof FailedElsewhere || remedyFor(failure) !== undefined) return
      breaker.failed(key, { reason: redact(reason), waitMs: retryAt - now(), failures })
    },
    follow: (lifecycle) =>
      breaker.follow(key, (failure) => {
        if (failure !== undefined) lifecycle.pause(failure)
        else if (lifecycle.state().failure instanceof FailedElsewhere) lifecycle.endPause()
      }),
  }
}

interface RevalidationOptions {
  readonly listing: Listing
  readonly lifecycle: Lifecycle<Session>
  readonly login: ServerLogin
  readonly settings: UpstreamSettings
  readonly now: () => number
  /** Aborts when the source is closed. */
  readonly closed: AbortSignal
  /** Asks the running server for its list. */
  refresh(): void
}

interface Revalidation {
  /** Returns at once. A failed start is tried again a few times if the tools are unknown. */
  revalidate(): void
  /** Ends the pause after a failed start if the user has logged in since. */
  retryAfterLogin(): Promise<void>
  cancel(): void
}

function createRevalidation(options: RevalidationOptions): Revalidation {
  const { listing, lifecycle, login, settings, now, closed, refresh } = options
  const { known } = listing
  const isStale = () =>
    known.isUnknown || (known.manifest !== undefined && now() - known.manifest.fetchedAt > settings.ttlMs)
  const retryAfterLogin = async () => {
    if (await login.hasNewLogin(lifecycle.state())) lifecycle.endPause()
  }
  const tryLater = () => {
    // A server with a manifest is not started again until it is needed.
    if (closed.aborted || known.manifest !== undefined) return
    retries.schedule(Math.max(0, (lifecycle.state().retryAt ?? 0) - now()))
  }
  const revalidateLoaded = () => {
    if (!isStale() || closed.aborted || listing.refreshing !== undefined) return
    if (lifecycle.running !== undefined) return refresh()
    void retryAfterLogin()
      .then(() =>
        known.once(isStale, async () => {
          await lifecycle.ensure(closed)
          await listing.refreshing
        }),
      )
      .catch(tryLater)
  }
  // The manifest must be loaded first to know whether it is fresh.
  const revalidate = () =>
    known.manifest === undefined ? void known.load().then(revalidateLoaded) : revalidateLoaded()
  const retries = createRetries(settings.backgroundTries, revalidate)
  return { revalidate, retryAfterLogin, cancel: () => retries.cancel() }
}

/** A limited number of retries in the background, one at a time. A waiting retry does not keep the process alive. */
interface Retries {
  /** Has no effect while another retry waits, or when no try is left. */
  schedule(waitMs: number): void
  cancel(): void
}

function createRetries(tries: number, retry: () => void): Retries {
  let left = tries
  let timer: NodeJS.Timeout | undefined
  return {
    schedule(waitMs) {
      if (timer !== undefined || left === 0) return
      left--
      timer = setTimeout(() => {
        timer = undefined
        retry()
      }, waitMs + 1)
      timer.unref()
    },
    cancel() {
      clearTimeout(timer)
    },
  }
}
