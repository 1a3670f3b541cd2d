// A configured MCP server as a source: it lists cached tools and starts the server when it is needed.

import { setMaxListeners } from 'node:events'
import { createServerLogin } from './auth/server-login.ts'
import { createCaller } from './caller.ts'
import { infoOf } from './info.ts'
import { createListing } from './listing.ts'
import { createRunningServer } from './running-server.ts'
import { settingsFor } from './settings.ts'
import { createSessionStarter } from './start-session.ts'
import type { SourceParts, UpstreamSource, UpstreamSourceOptions } from './upstream.ts'
import { createUpstreamTools, type UpstreamTools } from './upstream-tools.ts'

export type { UpstreamSource, UpstreamSourceOptions } from './upstream.ts'

export function createUpstreamSource(given: UpstreamSourceOptions): UpstreamSource {
  const { config, share, now = Date.now } = given
  const settings = settingsFor(config, given.options)
  const closing = new AbortController()
  const { signal: closed } = closing
  // Every caller that waits for the start adds a listener.
  setMaxListeners(0, closed)
  const parts = createParts({ given, settings, now, closed }, () => server.refresh())
  const { listing, login, starter } = parts
  const { known } = listing
  const server = createRunningServer(parts)
  const { lifecycle, ensure } = server
  const caller = createCaller({ ...parts, server })

  return {
    id: config.name,
    remedy: given.remedy,
    async list() {
      await known.load()
      server.revalidate()
      return known.entries
    },
    async call(name, input, context, signal = context.signal) {
      const result = await caller.call(name, input, context, signal)
      server.revalidate()
      return result
    },
    onChange: known.onChange,
    info: () => infoOf(config, known.manifest, lifecycle.state()),
    describe: caller.describe,
    logIn: login.offer,
    // The usual case first: the tools are known.
    settle: (withSchemas = false) =>
      (!withSchemas && !known.isUnknown) || closed.aborted
        ? undefined
        : findTools(known, withSchemas, () => ensure(closed)),
    waitLeft: server.waitLeft,
    state: () => lifecycle.state(),
    async manifest() {
      await known.load()
      return known.manifest
    },
    ensure: async (signal) => void (await ensure(signal)),
    async refresh(signal) {
      return server.fetchList(await ensure(signal), signal)
    },
    revalidate: server.revalidate,
    request: (method, params, signal, context) =>
      server.use(signal, (session) =>
        context === undefined
          ? session.request(method, params, signal)
          : caller.request(session, { method, params }, { ...context, signal }),
      ),
    watch: (uri, signal) => server.use(signal, (session) => session.watch(uri, signal)),
    unwatch: (uri, signal) => server.use(signal, (session) => session.unwatch(uri, signal)),
    async rootsChanged() {
      await lifecycle.running?.rootsChanged()
    },
    onNotification: starter.onNotification,
    relaysInput: true,
    givesJson: true,
    environment: starter.environment,
    protocolVersion: () => lifecycle.running?.protocolVersion,
    stderr: starter.output.tail,
    stop: () => lifecycle.stop(),
    async [Symbol.asyncDispose]() {
      closing.abort()
      listing.dispose()
      if (share === undefined) known.dispose()
      await server[Symbol.asyncDispose]()
      starter.output.flush()
    },
  }
}

/** Creates the parts for the list, the login and the start of the server. They use each other. */
function createParts(options: Omit<SourceParts, 'listing' | 'login'>, onListChanged: () => void) {
  const { given, now, closed } = options
  const { share } = given
  const onProblem = (reason: string) => given.onProblem?.(starter.redactor.text(reason))
  const listing = createListing({
    known: share?.known ?? createUpstreamTools({ ...given, now, onProblem }),
    now,
    onProblem,
    share: share && {
      mayReplace: share.mayReplace,
      onReplaced: share.onReplaced,
      // The redactor returns a value of the same form.
      redact: <T>(value: T) => starter.redactor.value(value) as T,
    },
  })
  const login = createServerLogin({
    server: given.config.name,
    settings: given.logins,
    owner: given.owner,
    now,
    signal: closed,
    onSecrets(secrets) {
      starter.redactor.learn(secrets)
      given.onSecrets?.(secrets)
    },
    onProblem,
  })
  const starter = createSessionStarter({ ...options, listing, login, onListChanged })
  return { ...options, listing, login, starter }
}

/** Starts the server if its tools, or their schemas, are unknown. Undefined if there is nothing to wait for. */
function findTools(
  known: UpstreamTools,
  withSchemas: boolean,
  start: () => Promise<unknown>,
): Promise<void> | undefined {
  const isNeeded = () => known.isMissing(withSchemas)
  if (!isNeeded()) return undefined
  const find = async () => {
    await known.load()
    if (isNeeded()) await known.listInTurn(isNeeded, start)
  }
  // A failure is not reported here, because the state of the source contains its reason.
  return find().catch(() => {})
}
