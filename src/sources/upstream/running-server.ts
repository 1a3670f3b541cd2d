// The server of a source: starts it when needed, keeps its list current, and reports failed starts to other gateways.

import { kindOf } from '../../config/connection-kinds.ts'
import type { StopSignal } from '../../core/stop-signal.ts'
import { unlessAborted } from '../../core/waiting.ts'
import type { CallOutcome } from './call-outcome.ts'
import { createLifecycle, type Lifecycle, type ServerState } from './lifecycle.ts'
import { type Manifest, manifestKey } from './manifest.ts'
import type { Session } from './session.ts'
import { FailedElsewhere, remedyFor, StartFailure } from './start-failure.ts'
import type { SessionStarter } from './start-session.ts'
import type { SourceParts, UpstreamSourceOptions } from './upstream.ts'

export type UpstreamServer = ReturnType<typeof createRunningServer>

export function createRunningServer(options: SourceParts & { readonly starter: SessionStarter }) {
  const { given, settings, listing, starter, now } = options
  const { share, startLimiter, random = Math.random, onState } = given
  const { known } = listing
  let wasCalled = false
  let firstStartAt: number | undefined

  const breaker = createServerBreaker(given, now, (reason) => starter.redactor.text(reason))
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
      if (state.state === 'failed') starter.output.flush()
      onState?.(state)
    },
  })
  const unfollow = breaker?.follow(lifecycle)
  /** Asks the server for its list in the background, if it runs. */
  const refresh = () => {
    // This refresh does not count as use. Otherwise a server that often changes its list would never be idle.
    if (lifecycle.running !== undefined) void listing.refresh(lifecycle.running)
  }
  const revalidation = createRevalidation(options, lifecycle, refresh)

  /** Starts the server if necessary. Resolves when its tools are known. */
  const ensure = async (signal: StopSignal): Promise<Session> => {
    if (lifecycle.state().state === 'failed') await revalidation.retryAfterLogin()
    const session = await lifecycle.ensure(signal, true)
    if (known.manifest === undefined) await fetchList(session, signal)
    return session
  }
  /** Fetches the list and returns the manifest. Rejects if there is no manifest because the list cannot be fetched. */
  const fetchList = async (session: Session, signal: StopSignal): Promise<Manifest> => {
    await unlessAborted(listing.refreshing ?? listing.refresh(session), signal)
    if (known.manifest !== undefined) return known.manifest
    throw new StartFailure('it runs, but its tools could not be listed', { stderr: starter.output.tail() })
  }
  return {
    lifecycle,
    ensure,
    fetchList,
    refresh,
    revalidate: revalidation.revalidate,
    /** Runs the work in a session. Closes the session if the work finds that it is over. */
    async use(signal: AbortSignal, work: (session: Session) => Promise<CallOutcome>): Promise<CallOutcome> {
      const session = await ensure(signal)
      wasCalled = true
      const outcome = await lifecycle.use(session, work)
      if (outcome.kind === 'lost' && outcome.isSessionOver) await lifecycle.drop(session, outcome.reason)
      return outcome
    },
    /** Records a call. A server that was called may be idle for longer than a server that has only listed its tools. */
    noteCall() {
      wasCalled = true
    },
    /** How much of `waitMs` is left, counted from the first start. */
    waitLeft: (waitMs: number) => Math.max(0, (firstStartAt ?? now()) + waitMs - now()),
    async [Symbol.asyncDispose]() {
      unfollow?.()
      revalidation.cancel()
      await lifecycle[Symbol.asyncDispose]()
    },
  }
}

/** Asks the server again in the background when its list is missing or too old. */
function createRevalidation(
  { listing, login, settings, now, closed }: SourceParts,
  lifecycle: Lifecycle<Session>,
  refresh: () => void,
) {
  const { known } = listing
  let triesLeft = settings.backgroundTries
  let retryTimer: NodeJS.Timeout | undefined

  const isStale = () =>
    known.isUnknown || (known.manifest !== undefined && now() - known.manifest.fetchedAt > settings.ttlMs)
  /** Ends the pause after a failed start if the user has logged in since. */
  const retryAfterLogin = async () => {
    if (await login.hasNewLogin(lifecycle.state())) lifecycle.endPause()
  }
  const tryLater = () => {
    // A server with a manifest is not started again until it is needed.
    if (closed.aborted || known.manifest !== undefined || retryTimer !== undefined || triesLeft === 0) return
    triesLeft--
    const retry = () => {
      retryTimer = undefined
      revalidate()
    }
    retryTimer = setTimeout(retry, Math.max(0, (lifecycle.state().retryAt ?? 0) - now()) + 1).unref()
  }
  const revalidateLoaded = () => {
    if (!isStale() || closed.aborted || listing.refreshing !== undefined) return
    if (lifecycle.running !== undefined) return refresh()
    void retryAfterLogin()
      .then(() =>
        known.listInTurn(isStale, async () => {
          await lifecycle.ensure(closed)
          await listing.refreshing
        }),
      )
      .catch(tryLater)
  }
  /** Returns at once. If the tools are unknown, a failed start is tried again a few times. */
  const revalidate = () => {
    // The manifest must be loaded first to know whether it is fresh.
    if (known.manifest === undefined) void known.load().then(revalidateLoaded)
    else revalidateLoaded()
  }
  return { revalidate, retryAfterLogin, cancel: () => clearTimeout(retryTimer) }
}

/**
 * The shared breaker as one server uses it. Undefined if no other gateway shares the store. Also undefined for a
 * process and for the server of one person, because other gateways do not need to know their failures. `redact` removes
 * secrets from a reason that other gateways read.
 */
function createServerBreaker(
  { config, share, breaker }: UpstreamSourceOptions,
  now: () => number,
  redact: (reason: string) => string,
) {
  if (breaker === undefined || share !== undefined || kindOf(config.connection).isProcess) return undefined
  const key = manifestKey(config)
  let isChecked = false
  return {
    /** Rejects before the first start if another gateway has just failed to start the server. */
    async check() {
      if (isChecked) return
      isChecked = true
      const failure = await breaker.read(key)
      if (failure !== undefined) throw failure
    },
    /** Tells the other gateways that the server works, or that it cannot be started. */
    report({ state, failure, failures = 1, reason = '', retryAt = 0 }: ServerState) {
      if (state === 'connected') breaker.works(key)
      // A missing login or variable does not concern the other gateways.
      if (state !== 'failed' || failure instanceof FailedElsewhere || remedyFor(failure) !== undefined) return
      breaker.failed(key, { reason: redact(reason), waitMs: retryAt - now(), failures })
    },
    /** Pauses the server while another gateway cannot start it. Returns the function that stops this. */
    follow: (lifecycle: Lifecycle<Session>) =>
      breaker.follow(key, (failure) => {
        if (failure !== undefined) lifecycle.pause(failure)
        else if (lifecycle.state().failure instanceof FailedElsewhere) lifecycle.endPause()
      }),
  }
}
