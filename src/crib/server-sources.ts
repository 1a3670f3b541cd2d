// Creates the source of one configured server: for all clients together, or for each person separately.

import { explainUnset, type PeopleVariables, personalNames, valuesKeyOf, variablesFor } from '../config/people.ts'
import { prepareConnection } from '../config/prepare-connection.ts'
import type { Variables } from '../config/references.ts'
import type { Connection, InheritEnv, ServerConfig } from '../config/server-config.ts'
import { setNewest } from '../core/collections.ts'
import { createSchemaValidator } from '../core/json-schema.ts'
import { cutLongText, onOneLine } from '../core/text.ts'
import { loginRequiredIn } from '../sources/upstream/auth/login-errors.ts'
import { LOCAL_PERSON, type Person } from '../sources/upstream/auth/person.ts'
import type { ServerState } from '../sources/upstream/lifecycle.ts'
import { createPerPrincipalSource } from '../sources/upstream/per-principal.ts'
import type { UpstreamSettings } from '../sources/upstream/settings.ts'
import { FailedElsewhere, StartFailure } from '../sources/upstream/start-failure.ts'
import type { StartLimiter } from '../sources/upstream/start-limiter.ts'
import {
  createUpstreamSource,
  type UpstreamSource,
  type UpstreamSourceOptions,
} from '../sources/upstream/upstream-source.ts'
import { createWatchdog } from '../sources/upstream/watchdog.ts'
import type { GatewayObserver } from './recorders.ts'
import type { KnownSecrets, Withheld } from './server-secrets.ts'

/** The parts of a gateway that all of its servers use. */
export interface ServerSourceOptions
  extends Pick<
    UpstreamSourceOptions,
    'expectsCalls' | 'clientInfo' | 'store' | 'pins' | 'breaker' | 'logins' | 'isOwnName'
  > {
  /** The variables of this process. */
  readonly env: Readonly<Record<string, string | undefined>>
  onProblem(server: string, reason: string): void
  /** Called with lines that a server printed on stderr, without secrets and control characters. */
  onOutput?: ((server: string, lines: readonly string[]) => void) | undefined
  /**
   * Called for each failed start, even if its reason was reported before. For a server that runs once per person, only
   * starts for the local user count.
   */
  onFailedStart?(server: string, failure: FailedStartReport): void
  onServerState?: GatewayObserver['onServerState'] | undefined
}

/** The reason why a server could not be started, and the command to log in if the server needs a login. */
export interface FailedStartReport {
  readonly reason: string
  readonly loginCommand: string | undefined
}

interface SharedParts extends ServerSourceOptions {
  readonly startLimiter: StartLimiter
  /** Gets the secrets of each server that starts. */
  readonly secrets: KnownSecrets
  readonly withheld: Withheld
  /** The variables of people in the current configuration. */
  personal(): PeopleVariables
}

/** The settings of the configuration for one server. */
interface ServerSettings {
  readonly options: Partial<UpstreamSettings>
  readonly variables: Variables
  readonly inherit: InheritEnv
  readonly maxPeople: number | undefined
}

const MAX_NAME_CHARS = 100

/** Returns a function that creates the source of a server. */
export function createServerSources(
  given: SharedParts,
): (config: ServerConfig, settings: ServerSettings) => UpstreamSource {
  const { env, clientInfo, store, breaker, startLimiter, secrets, onProblem, onOutput } = given
  const watchdog = createWatchdog()
  const validator = createSchemaValidator()

  const prepare = async (connection: Connection, values: Variables): Promise<Connection> => {
    const ready = await prepareConnection(connection, values)
    secrets.addConnection(connection, ready)
    return ready
  }
  /** Returns a function that reports problems of this server. */
  const problemReporter = (config: ServerConfig) => (reason: string) => onProblem(config.name, reason)
  const reportFailedStart = ({ name }: ServerConfig, { reason = '', failure }: ServerState) =>
    given.onFailedStart?.(name, { reason, loginCommand: loginRequiredIn(failure)?.command })
  const commonParts = (config: ServerConfig, { options, inherit }: ServerSettings) => ({
    config,
    options,
    store,
    pins: given.pins,
    startLimiter,
    watchdog,
    validator,
    expectsCalls: given.expectsCalls,
    // A function, because another server may be added to the configuration after this one was created.
    inheritance: () => ({ env, inherit, withheld: given.withheld(config.name) }),
    clientInfo,
    ...(given.logins === undefined ? {} : { logins: given.logins }),
    onSecrets: secrets.addTokens,
    isOwnName: given.isOwnName,
    onProblem: problemReporter(config),
    breaker,
  })
  /** A server that runs once per person. */
  const createPersonal = (config: ServerConfig, settings: ServerSettings): UpstreamSource => {
    const reportFor = createPersonReporter(problemReporter(config))
    const names = personalNames(config.connection)
    return createPerPrincipalSource({
      ...commonParts(config, settings),
      maxPeople: settings.maxPeople,
      resolveFor: (person, connection) =>
        prepare(connection, variablesFor(person, given.personal())).catch((error: unknown) => {
          throw explainUnset(error, person)
        }),
      valuesKey: (person) => valuesKeyOf(names, person, given.personal()),
      ...(onOutput === undefined
        ? {}
        : { onOutput: (lines, person) => onOutput(config.name, lines.map(markedWith(person))) }),
      onState(state, person) {
        reportFor(state, person)
        given.onServerState?.(config.name, state.state)
        // A failed start for one person does not mean that the server fails for others.
        if (state.state === 'failed' && person === LOCAL_PERSON) reportFailedStart(config, state)
      },
    })
  }
  /** A server that runs once for all clients. */
  const createCommon = (config: ServerConfig, settings: ServerSettings): UpstreamSource => {
    const reportState = createFailureReporter(problemReporter(config))
    return createUpstreamSource({
      ...commonParts(config, settings),
      resolve: (connection) => prepare(connection, settings.variables),
      ...(onOutput === undefined ? {} : { onOutput: (lines) => onOutput(config.name, lines) }),
      onState(state) {
        reportState(state)
        // Another gateway tried to start the server, and reports this state itself.
        if (!(state.failure instanceof FailedElsewhere)) given.onServerState?.(config.name, state.state)
        if (state.state === 'failed') reportFailedStart(config, state)
      },
    })
  }
  return (config, settings) =>
    config.perPrincipal === true ? createPersonal(config, settings) : createCommon(config, settings)
}

/** Marks a line of the server with the person it runs for. The name can come from a company login, so it is cut. */
function markedWith({ name }: Person): (line: string) => string {
  const mark = cutLongText(onOneLine(name), MAX_NAME_CHARS)
  return (line) => `[${mark}] ${line}`
}

const MAX_REASON_CHARS = 500
const MAX_REASONS = 5
const MAX_PEOPLE_REPORTED = 1_000

/** Reports each reason for a failed start once, and at most MAX_REASONS of them, until the server has started. */
function createFailureReporter(report: (reason: string) => void): (state: ServerState) => void {
  const reported = new Set<string>()
  return ({ state, reason = '', failure }) => {
    if (state === 'connected') reported.clear()
    // Compares without the server's own output, which may contain a time or a process id.
    const why = failure instanceof StartFailure ? failure.reason : reason
    if (state !== 'failed' || reported.has(why) || reported.size >= MAX_REASONS) return
    reported.add(why)
    report(`it could not be started: ${cutLongText(onOneLine(reason), MAX_REASON_CHARS)}`)
  }
}

/** Like `createFailureReporter`, separately for each of the last MAX_PEOPLE_REPORTED people. */
function createPersonReporter(report: (reason: string) => void): (state: ServerState, person: Person) => void {
  const reports = new Map<string, (state: ServerState) => void>()
  return (state, { key, name }) => {
    const known = reports.get(key) ?? createFailureReporter((reason) => report(`for '${name}': ${reason}`))
    setNewest(reports, key, known, MAX_PEOPLE_REPORTED)
    known(state)
  }
}
