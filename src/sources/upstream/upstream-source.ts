// A configured MCP server as a source: it lists cached tools and starts the server when it is needed.

import { setMaxListeners } from 'node:events'
import { kindOf } from '../../config/connection-kinds.ts'
import { unlessAborted } from '../../core/unless-aborted.ts'
import { createServerLogin } from './auth/server-login.ts'
import type { CallOutcome } from './call-outcome.ts'
import { createCaller } from './caller.ts'
import { FailedElsewhere } from './failed-elsewhere.ts'
import { infoOf } from './info.ts'
import { createLifecycle, type ServerState } from './lifecycle.ts'
import { createListing } from './listing.ts'
import { manifestKey } from './manifest.ts'
import { createRevalidation } from './revalidation.ts'
import type { Session } from './session.ts'
import { settingsFor } from './settings.ts'
import { remedyFor, StartFailure } from './start-failure.ts'
import { createSessionStarter } from './start-session.ts'
import type { UpstreamSource, UpstreamSourceOptions } from './upstream.ts'
import { createUpstreamTools } from './upstream-tools.ts'

export type { UpstreamSource, UpstreamSourceOptions } from './upstream.ts'

export function createUpstreamSource(given: UpstreamSourceOptions): UpstreamSource {
  const { config, startLimiter, share, now = Date.now, random = Math.random, onState, onProblem } = given
  const settings = settingsFor(config, given.options)
  const closing = new AbortController()
  // Every caller that waits for the start adds a listener.
  setMaxListeners(0, closing.signal)
  const reportProblem = (reason: string) => onProblem?.(starter.redact(reason))
  const known = share?.known ?? createUpstreamTools({ ...given, now, onProblem: reportProblem })
  const listing = createListing({
    known,
    now,
    onProblem: reportProblem,
    share: share && {
      mayReplace: share.mayReplace,
      onReplaced: share.onReplaced,
      // The redactor returns a value of the same form.
      redact: <T>(value: T) => starter.redactValue(value) as T,
    },
  })
  const login = createServerLogin({
    server: config.name,
    settings: given.logins,
    owner: given.owner,
    now,
    signal: closing.signal,
    onSecrets(secrets) {
      starter.learn(secrets)
      given.onSecrets?.(secrets)
    },
    onProblem: reportProblem,
  })
  // A refresh does not count as use. Otherwise a server that often changes its list would never be idle.
  const refresh = () => {
    if (lifecycle.running !== undefined) void listing.refresh(lifecycle.running)
  }
  const starter = createSessionStarter({ given, settings, listing, login, now, onListChanged: refresh })
  let wasCalled = false
  let firstStartAt: number | undefined

  // Only a failed start over the network is shared with other gateways, not that of a process or of a person's server.
  const breaker = kindOf(config.connection).isProcess || share !== undefined ? undefined : given.breaker
  const breakerKey = manifestKey(config)
  let isFirstStart = true
  const start = async (signal: AbortSignal): Promise<Session> => {
    const elsewhere = isFirstStart ? await breaker?.read(breakerKey) : undefined
    isFirstStart = false
    if (elsewhere !== undefined) throw elsewhere
    return starter.start(signal)
  }

  const lifecycle = createLifecycle<Session>({
    ...settings,
    start,
    limiter: startLimiter,
    now,
    random,
    idleMs: () => (wasCalled ? settings.idleMs : Math.min(settings.idleMs, settings.listedIdleMs)),
    onState(state) {
      firstStartAt ??= state.since
      if (state.state === 'known') wasCalled = false
      // The list may have changed since the manifest was saved, so it is fetched after every start.
      const { running } = lifecycle
      const isDue = share?.isFresh() !== true && !known.isJustListed
      if (state.state === 'connected' && running !== undefined && isDue && !starter.hasListed(running)) {
        void lifecycle.use(running, (session) => listing.refresh(session))
      }
      tellOthers(state)
      // The lines of the server explain the failure, so they are passed on before it.
      if (state.state === 'failed') starter.flushOutput()
      onState?.(state)
    },
  })
  const tellOthers = ({ state, failure, failures = 1, reason = '', retryAt = 0 }: ServerState) => {
    if (state === 'connected') breaker?.works(breakerKey)
    // A missing login or variable does not concern the other gateways.
    if (state !== 'failed' || failure instanceof FailedElsewhere || remedyFor(failure) !== undefined) return
    breaker?.failed(breakerKey, { reason: starter.redact(reason), waitMs: retryAt - now(), failures })
  }
  const unfollow = breaker?.follow(breakerKey, (failure) => {
    if (failure !== undefined) lifecycle.pause(failure)
    else if (lifecycle.state().failure instanceof FailedElsewhere) lifecycle.endPause()
  })
  const revalidation = createRevalidation({ listing, lifecycle, login, settings, now, closed: closing.signal, refresh })

  /** Starts the server if necessary. Resolves when its tools are known. */
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
  const useSession = async (
    signal: AbortSignal,
    work: (session: Session) => Promise<CallOutcome>,
  ): Promise<CallOutcome> => {
    const session = await ensure(signal)
    wasCalled = true
    const outcome = await lifecycle.use(session, work)
    if (outcome.kind === 'lost' && outcome.isSessionOver) await lifecycle.drop(session, outcome.reason)
    return outcome
  }
  const caller = createCaller({
    config,
    settings,
    known,
    lifecycle,
    ensure,
    remedy: given.remedy,
    logIn: login.offer,
    stderr: starter.stderr,
    onCall() {
      wasCalled = true
    },
  })

  return {
    id: config.name,
    remedy: given.remedy,
    async list() {
      await known.load()
      revalidation.revalidate()
      return known.entries
    },
    async call(name, input, context, signal = context.signal) {
      const result = await caller.call(name, input, context, signal)
      revalidation.revalidate()
      return result
    },
    onChange: known.onChange,
    info: () => infoOf(config, known.manifest, lifecycle.state()),
    describe: caller.describe,
    logIn: login.offer,
    settle(withSchemas = false) {
      // The usual case: the tools are known.
      if (!withSchemas && !known.isUnknown) return undefined
      const isNeeded = () => known.isUnknown || (withSchemas && known.entries.some((entry) => entry.isSchemaUnknown))
      if (!isNeeded() || closing.signal.aborted) return undefined
      const find = async () => {
        await known.load()
        if (isNeeded()) await known.once(isNeeded, () => ensure(closing.signal))
      }
      // A failure is not reported here, because the state of the source contains its reason.
      return find().catch(() => {})
    },
    waitLeft: (waitMs) => Math.max(0, (firstStartAt ?? now()) + waitMs - now()),
    state: () => lifecycle.state(),
    async manifest() {
      await known.load()
      return known.manifest
    },
    ensure: async (signal) => void (await ensure(signal)),
    async refresh(signal) {
      return fetchList(await ensure(signal), signal)
    },
    revalidate: revalidation.revalidate,
    request: (method, params, signal, context) =>
      useSession(signal, (session) =>
        context === undefined
          ? session.request(method, params, signal)
          : caller.request(session, { method, params }, { ...context, signal }),
      ),
    watch: (uri, signal) => useSession(signal, (session) => session.watch(uri, signal)),
    unwatch: (uri, signal) => useSession(signal, (session) => session.unwatch(uri, signal)),
    async rootsChanged() {
      await lifecycle.running?.rootsChanged()
    },
    onNotification: starter.onNotification,
    relaysInput: true,
    givesJson: true,
    environment: starter.environment,
    protocolVersion: () => lifecycle.running?.protocolVersion,
    stderr: starter.stderr,
    stop: () => lifecycle.stop(),
    async [Symbol.asyncDispose]() {
      closing.abort()
      unfollow?.()
      revalidation.cancel()
      listing.dispose()
      if (share === undefined) known.dispose()
      await lifecycle[Symbol.asyncDispose]()
      starter.flushOutput()
    },
  }
}
