// A configured MCP server as a source: it lists cached tools and starts the server when it is needed.

import { setMaxListeners } from 'node:events'
import type { Implementation } from '@modelcontextprotocol/client'
import type { Connection, ServerConfig } from '../../config/server-config.ts'
import type { SchemaValidator } from '../../core/json-schema.ts'
import { unlessAborted } from '../../core/unless-aborted.ts'
import type { Store } from '../../storage/store.ts'
import { createServerLogin, type LoginSettings } from './auth/server-login.ts'
import type { CallOutcome } from './call-outcome.ts'
import { createCaller } from './caller.ts'
import { Clock } from './clock.ts'
import type { EraMemory } from './connect.ts'
import type { OwnRoots } from './early-roots.ts'
import { environmentOf, type Inheritance, type StartEnvironment } from './environment.ts'
import { infoOf } from './info.ts'
import { createLifecycle, type ServerState } from './lifecycle.ts'
import { createListing } from './listing.ts'
import { questionRulesFor } from './questions.ts'
import { createRedactor } from './redactor.ts'
import { createRetries } from './retries.ts'
import { createServerOutput } from './server-output.ts'
import type { ServerNews, Session } from './session.ts'
import { settingsFor, type UpstreamSettings } from './settings.ts'
import { orStartFailure, StartFailure } from './start-failure.ts'
import type { StartLimiter } from './start-limiter.ts'
import type { UpstreamSource } from './upstream.ts'
import type { Watchdog } from './watchdog.ts'

export type { UpstreamSource } from './upstream.ts'

export interface UpstreamSourceOptions {
  /** True if clients will call tools. The code for that is then loaded while the first server starts. */
  readonly expectsCalls?: boolean | undefined
  readonly config: ServerConfig
  /** Replaces `${VAR}` references. If it rejects, the server cannot start. */
  resolve(connection: Connection): Connection | Promise<Connection>
  /** Stores the manifests. */
  readonly store: Store
  /** These three are shared by all sources of a process. */
  readonly startLimiter: StartLimiter
  readonly watchdog: Watchdog
  readonly validator: SchemaValidator
  /** The variables that a process inherits. Called at each start. */
  inheritance(): Inheritance
  readonly clientInfo: Implementation
  readonly options?: Partial<UpstreamSettings>
  /** The advice for a server that cannot be started, if `toolcrib doctor` does not know the server. */
  readonly remedy?: string
  readonly now?: () => number
  readonly random?: () => number
  /** The roots of the only client. Absent if there can be several clients: then no roots are declared. */
  readonly ownRoots?: OwnRoots
  /** Absent if the server is used without logins. */
  readonly logins?: LoginSettings
  /** Called with values that must be removed from every text, such as new tokens. */
  onSecrets?(secrets: readonly string[]): void
  onState?(state: ServerState): void
  /** Called with lines that the server printed on stderr, without secrets and control characters. */
  onOutput?(lines: readonly string[]): void
  /** Called with problems that do not belong to a call. */
  onProblem?(reason: string): void
}

/** Long enough for the process to be created first. */
const PREPARE_AFTER_MS = 20

export function createUpstreamSource(given: UpstreamSourceOptions): UpstreamSource {
  const { config, store, validator, startLimiter, now = Date.now, random = Math.random, onState, onProblem } = given
  const settings = settingsFor(config, given.options)
  const closing = new AbortController()
  // Every caller that waits for the start adds a listener.
  setMaxListeners(0, closing.signal)
  // The output so far cannot contain a secret, because the server has not been given one.
  let redactor = createRedactor([])
  let environment: StartEnvironment | undefined
  const redact = (text: string) => redactor.text(text)
  const listing = createListing({ config, store, validator, now, onProblem: (reason) => onProblem?.(redact(reason)) })
  const login = createServerLogin({
    server: config.name,
    settings: given.logins,
    now,
    signal: closing.signal,
    onSecrets(secrets) {
      redactor.learn(secrets)
      given.onSecrets?.(secrets)
    },
    onProblem: (reason) => onProblem?.(redact(reason)),
  })
  const newsListeners = new Set<(news: ServerNews) => void>()
  const output = createServerOutput(given.onOutput && ((lines) => given.onOutput?.(lines)))
  /** The session that has just fetched its list. */
  let introduced: Session | undefined
  const memory: EraMemory = {}
  let wasCalled = false
  let firstStartAt: number | undefined

  /** The server has `startTimeoutMs` to connect and to list its tools. */
  const start = async (signal: AbortSignal): Promise<Session> => {
    const clock = new Clock({ signal, timeoutMs: settings.startTimeoutMs })
    try {
      const session = await connect(signal)
      if (isUnknown()) await introduce(session, clock)
      return session
    } finally {
      clock.stop()
    }
  }
  const connect = async (signal: AbortSignal): Promise<Session> => {
    await listing.load()
    const connection = await orStartFailure(async () => given.resolve(config.connection))
    environment = environmentOf(config.connection, connection, given.inheritance())
    redactor = createRedactor(environment.secrets)
    const authorize = connection.type === 'stdio' ? undefined : await login.authorize(connection)
    const { manifest } = listing
    const isEraKnown = manifest?.era === 'legacy' && now() - manifest.eraAt < settings.eraTtlMs
    // Imported only when needed: answers from manifests do not need the client.
    const { connectSession } = await import('./connect.ts')
    // While a process starts, this one waits. The time is used to load the code that checks the first call.
    if (given.expectsCalls === true && connection.type === 'stdio')
      setTimeout(() => void validator.prepare(), PREPARE_AFTER_MS).unref()
    return connectSession(connection, {
      ...settings,
      env: environment.values,
      watchdog: given.watchdog,
      clientInfo: given.clientInfo,
      openStderr: () => output.open(redactor.text),
      redactor,
      authorize,
      questionRules: questionRulesFor(config, settings),
      signal,
      ...(isEraKnown ? { knownEra: 'legacy' } : {}),
      memory,
      knownToAsk: manifest?.asks === true,
      onAsk: () => listing.noteAsk(),
      onProblem: (reason) => onProblem?.(redact(reason)),
      ...(given.ownRoots === undefined ? {} : { ownRoots: given.ownRoots }),
      onListChanged: refresh,
      onNews: (news) => newsListeners.forEach((listener) => void listener(news)),
    })
  }
  /** A server that does not list its tools counts as not started. */
  const introduce = async (session: Session, clock: Clock) => {
    introduced = session
    const asking = Promise.race([listing.refresh(session, true), session.closed])
    const fault = await unlessAborted(asking, clock.signal).catch(String)
    if (listing.manifest !== undefined) return
    await session.close()
    const reason = clock.exceededMs === undefined ? fault : `it did not list its tools in ${clock.exceededMs} ms`
    throw new StartFailure(redact(reason ?? 'it did not list its tools'), { stderr: output.tail() })
  }
  // Does not count as use: otherwise a server that changes its list often would never be idle.
  const refresh = () => {
    if (lifecycle.running !== undefined) void listing.refresh(lifecycle.running)
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
      if (state.state === 'connected' && running !== undefined && running !== introduced) {
        void lifecycle.use(running, (session) => listing.refresh(session))
      }
      // The lines of the server explain the failure, so they are passed on before it.
      if (state.state === 'failed') output.flush()
      onState?.(state)
    },
  })

  // Tools that the configuration declares replace the manifest until the server has been asked.
  const isUnknown = () => listing.manifest === undefined && listing.entries.length === 0
  const isStale = () =>
    isUnknown() || (listing.manifest !== undefined && now() - listing.manifest.fetchedAt > settings.ttlMs)
  // The manifest must be loaded first to know whether it is fresh.
  const revalidate = () =>
    listing.manifest === undefined ? void listing.load().then(revalidateKnown) : revalidateKnown()
  const revalidateKnown = () => {
    if (closing.signal.aborted || !isStale() || listing.refreshing !== undefined) return
    if (lifecycle.running !== undefined) return refresh()
    void forgiveAfterLogin()
      .then(() => lifecycle.ensure(closing.signal))
      .catch(tryLater)
  }
  const forgiveAfterLogin = async () => {
    if (await login.isCured(lifecycle.state())) lifecycle.forgive()
  }
  const tryLater = () => {
    // A server with a manifest can wait until it is needed.
    if (closing.signal.aborted || listing.manifest !== undefined) return
    retries.schedule(Math.max(0, (lifecycle.state().retryAt ?? 0) - now()))
  }
  const retries = createRetries(settings.backgroundTries, revalidate)
  const ensure = async (signal: AbortSignal): Promise<Session> => {
    if (lifecycle.state().state === 'failed') await forgiveAfterLogin()
    const session = await lifecycle.ensure(signal, true)
    if (listing.manifest === undefined) await unlessAborted(listing.refreshing ?? listing.refresh(session), signal)
    if (listing.manifest !== undefined) return session
    throw new StartFailure('it runs, but its tools could not be listed', { stderr: output.tail() })
  }
  const using = async (signal: AbortSignal, work: (session: Session) => Promise<CallOutcome>): Promise<CallOutcome> => {
    const session = await ensure(signal)
    wasCalled = true
    const outcome = await lifecycle.use(session, work)
    if (outcome.kind === 'lost' && outcome.isSessionOver) await lifecycle.drop(session, outcome.reason)
    return outcome
  }
  const caller = createCaller({
    config,
    settings,
    listing,
    lifecycle,
    ensure,
    remedy: given.remedy,
    logIn: login.offer,
    stderr: () => output.tail(),
    onCall() {
      wasCalled = true
    },
  })

  return {
    id: config.name,
    remedy: given.remedy,
    async list() {
      await listing.load()
      revalidate()
      return listing.entries
    },
    async call(name, input, context, signal = context.signal) {
      const result = await caller.call(name, input, context, signal)
      revalidate()
      return result
    },
    onChange: listing.onChange,
    info: () => infoOf(config, listing.manifest, lifecycle.state()),
    describe: caller.describe,
    logIn: login.offer,
    settle(withSchemas = false) {
      const isOpen = () => isUnknown() || (withSchemas && listing.entries.some((entry) => entry.isSchemaUnknown))
      if (!isOpen() || closing.signal.aborted) return undefined
      const find = async () => {
        await listing.load()
        if (isOpen()) await ensure(closing.signal)
      }
      // The state contains the reason of a failure.
      return find().catch(() => {})
    },
    waitLeft: (waitMs) => Math.max(0, (firstStartAt ?? now()) + waitMs - now()),
    state: () => lifecycle.state(),
    async manifest() {
      await listing.load()
      return listing.manifest
    },
    ensure: async (signal) => void (await ensure(signal)),
    async refresh(signal) {
      const session = await ensure(signal)
      await unlessAborted(listing.refreshing ?? listing.refresh(session), signal)
      if (listing.manifest !== undefined) return listing.manifest
      throw new StartFailure('it runs, but its tools could not be listed', { stderr: output.tail() })
    },
    revalidate,
    request: (method, params, signal, context) =>
      using(signal, (session) =>
        context === undefined
          ? session.request(method, params, signal)
          : caller.request(session, { method, params }, { ...context, signal }),
      ),
    watch: (uri, signal) => using(signal, (session) => session.watch(uri, signal)),
    unwatch: (uri, signal) => using(signal, (session) => session.unwatch(uri, signal)),
    async rootsChanged() {
      await lifecycle.running?.rootsChanged()
    },
    onNews(listener) {
      newsListeners.add(listener)
      return () => newsListeners.delete(listener)
    },
    relaysInput: true,
    givesJson: true,
    environment: () => environment,
    protocolVersion: () => lifecycle.running?.protocolVersion,
    stderr: () => output.tail(),
    stop: () => lifecycle.stop(),
    async [Symbol.asyncDispose]() {
      closing.abort()
      retries.cancel()
      listing.dispose()
      await lifecycle[Symbol.asyncDispose]()
      output.flush()
    },
  }
}
