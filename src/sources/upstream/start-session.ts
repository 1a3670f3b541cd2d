// Starts a session with a server: resolves its connection, connects, and asks for its tools if a call must wait for them.

import { programIn, remoteIn } from '../../config/server-config.ts'
import { defined } from '../../core/defined.ts'
import { createListeners } from '../../core/listeners.ts'
import { unlessAborted } from '../../core/waiting.ts'
import { Clock } from './clock.ts'
import type { HandshakeMemory } from './connect.ts'
import { environmentOf, type StartEnvironment } from './environment.ts'
import { beginProcess } from './process.ts'
import { createRedactor } from './redactor.ts'
import type { ServerNotification } from './server-messages.ts'
import { createServerOutput } from './server-output.ts'
import type { Session } from './session.ts'
import { orStartFailure, StartFailure } from './start-failure.ts'
import type { SourceParts } from './upstream.ts'

interface StarterOptions extends SourceParts {
  /** Called when the server says that its list has changed. */
  onListChanged(): void
}

export type SessionStarter = ReturnType<typeof createSessionStarter>

/** The delay before the validator is loaded. Long enough for the process to be created first. */
const PREPARE_AFTER_MS = 20

export function createSessionStarter(options: StarterOptions) {
  const { given, settings, listing, login, now, onListChanged } = options
  const { known } = listing
  const { config, watchdog } = given
  let redactor = createRedactor([])
  const output = createServerOutput(given.onOutput && ((lines) => given.onOutput?.(lines)))
  let environment: StartEnvironment | undefined
  let listed: Session | undefined
  /** The session that lists its tools before its start counts as finished. */
  let starting: Session | undefined
  const listeners = createListeners<[ServerNotification]>()
  const memory: HandshakeMemory = {}

  const connect = async (signal: AbortSignal): Promise<Session> => {
    await known.load()
    const connection = await orStartFailure(async () => given.resolve(config.connection))
    environment = environmentOf(config.connection, connection, given.inheritance())
    redactor = createRedactor(environment.secrets, environment.listSecrets)
    const program = programIn(connection)
    const remote = remoteIn(connection)
    const authorize = remote && (await login.authorize(remote))
    const { manifest } = known
    const isEraKnown = manifest !== undefined && now() - manifest.eraAt < settings.eraTtlMs
    const openStderr = () => output.open(redactor.text)
    const { values: env } = environment
    const { graceMs } = settings
    // The process starts first, because loading the client takes a while. The server loads its own code meanwhile.
    const begun = program && beginProcess({ ...program, env, watchdog, stderr: openStderr(), graceMs })
    // Imported only when needed: answers from manifests do not need the client.
    const { connectSession } = await import('./connect.ts')
    // While the server starts, this process waits. The time is used to load the code that checks the first call.
    if (given.expectsCalls === true && program !== undefined)
      setTimeout(() => void given.validator.prepare(), PREPARE_AFTER_MS).unref()
    return connectSession(connection, {
      ...settings,
      env,
      watchdog,
      begun,
      clientInfo: given.clientInfo,
      openStderr,
      redactor,
      authorize,
      questionRules: {
        server: config.name,
        includeContext: config.includeContext === true,
        maxQuestions: settings.maxQuestions,
      },
      signal,
      knownEra: isEraKnown ? manifest.era : undefined,
      // A modern session knows which client a question is for, so the calls of other clients need not wait.
      prefersModern: given.prefersModern === true || manifest?.asks === true,
      memory,
      knownToAsk: manifest?.asks === true,
      onAsk: () => known.noteAsk(),
      onProblem: (reason) => given.onProblem?.(redactor.text(reason)),
      ...defined({ ownRoots: given.ownRoots }),
      // A list that changes while it is fetched is fetched again.
      onListChanged: () => (starting === undefined ? onListChanged() : void listing.refresh(starting, true)),
      onNotification: (notification) => listeners.tell(notification),
    })
  }
  const refresh = async (session: Session): Promise<string | undefined> => {
    const fault = await listing.refresh(session, true)
    // If that was a request to the session before this one, the request to this one follows.
    return listing.hasListed(session) ? undefined : (listing.refreshing ?? fault)
  }
  /** A server that does not list its tools counts as not started. */
  const fetchList = async (session: Session, clock: Clock) => {
    listed = session
    starting = session
    const asking = Promise.race([refresh(session), session.closed])
    const fault = await unlessAborted(asking, clock.signal).catch(String)
    starting = undefined
    // An earlier list says nothing about the tools that this start would call.
    if (known.refusesChanges ? listing.hasListed(session) : known.manifest !== undefined) return
    await session.close()
    const reason = clock.exceededMs === undefined ? fault : `it did not list its tools in ${clock.exceededMs} ms`
    throw new StartFailure(redactor.text(reason ?? 'it did not list its tools'), { stderr: output.tail() })
  }

  return {
    /** The server has `startTimeoutMs` to connect, and to list its tools if they are unknown or changes are refused. */
    async start(signal: AbortSignal): Promise<Session> {
      const clock = new Clock({ signal, timeoutMs: settings.startTimeoutMs })
      try {
        const session = await connect(signal)
        if (known.isUnknown || known.refusesChanges) await fetchList(session, clock)
        return session
      } finally {
        clock.stop()
      }
    },
    /** True if this session fetched the list while it started. */
    hasListed: (session: Session) => session === listed,
    /** Removes the secrets of the last start. They are unknown before the first start. */
    get redactor() {
      return redactor
    },
    output,
    environment: () => environment,
    onNotification: listeners.add,
  }
}
