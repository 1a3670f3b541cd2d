// Runs `toolcrib serve`: opens the gateway and its front door, and closes both together.

import { join } from 'node:path'
import type { LoadedConfig } from '../../../config/load/load.ts'
import { defined } from '../../../core/defined.ts'
import { messageOf } from '../../../core/text.ts'
import { createGateway, type Gateway, type GatewayProblem } from '../../../crib/from-config.ts'
import { switchLine } from '../../../disclosure/strategy-switches.ts'
import { createActivity } from '../../../front/activity.ts'
import { httpUrl } from '../../../front/address.ts'
import type { Door } from '../../../front/doors.ts'
import type { FrontOptions } from '../../../front/front-options.ts'
import type { Metrics } from '../../../front/metrics/metrics.ts'
import { type Environment, readVariables } from '../../../setup/environment.ts'
import { loadFor, requireGivenConfig } from '../../../setup/load-config.ts'
import { secretsFile } from '../../../setup/secrets-file.ts'
import { withLock } from '../../../storage/file-lock.ts'
import { makeFolder } from '../../../storage/make-folder.ts'
import { tryOpenControlServer } from '../../gateway/control-server.ts'
import { endOnSignalOrDisconnect } from '../../gateway/end-process.ts'
import { withoutFolderServers } from '../../gateway/folder-servers.ts'
import { openGatewayLog } from '../../gateway/gateway-log.ts'
import { checkHttpFlags } from '../../gateway/http-flags.ts'
import { isSharedRunning, MAX_START_MS } from '../../gateway/join-shared.ts'
import { copyLogLines, logLine, logRecord } from '../../gateway/log-line.ts'
import { gatewaysDir } from '../../gateway/registration.ts'
import { ownSourceNames } from '../../gateway/served-config.ts'
import { compileEarly, keepHeapSmall } from '../../gateway/v8-settings.ts'
import { DISCOVERY_IS_OFF } from '../../output/no-servers.ts'
import { checkStrategy, chooseStrategy, withStrategy } from '../../strategy/choose-strategy.ts'
import { countUsage } from '../../usage/count-usage.ts'
import { openUsageLog } from '../../usage/usage-log.ts'
import {
  addressOf,
  controlOptions,
  describeHttp,
  dismiss,
  httpAccessFor,
  type OpenedDoor,
  openDoor,
  readdress,
  requireReadableAddress,
  servedOn,
} from './front-door.ts'
import type { HttpAccess } from './http-access.ts'
import { type FailureKeeper, keepFailures } from './keep-failures.ts'
import type { ServeFlags } from './serve-flags.ts'
import { countListed, type MeasuredParts, openMetrics } from './serve-metrics.ts'

export async function serve(environment: Environment, flags: ServeFlags): Promise<void> {
  checkHttpFlags(flags, 'toolcrib serve')
  if (flags.shared === true && (await joinShared(environment))) return
  // Checked at the start only: if the file disappears later, the last good config stays in force.
  await requireGivenConfig(environment, flags.config)
  const { sharedKey } = flags
  if (sharedKey === undefined) return openAndServe(environment, flags)
  await asOnlyShared(environment, sharedKey, () => openAndServe(environment, flags))
}

/** Returns false if the client must be served alone. Otherwise the shared gateway serves it, and the process ends. */
async function joinShared(environment: Environment): Promise<boolean> {
  const { joinGateway } = await import('../../gateway/join-gateway.ts')
  return joinGateway(environment, process.argv.slice(2))
}

/** A gateway over HTTP accepts requests after this time at the latest, even if its servers have not started yet. */
const WARM_UP_MS = 10_000

/** Returns when the gateway serves. A signal or the end of the front door ends the process later. */
async function openAndServe(environment: Environment, flags: ServeFlags): Promise<void> {
  const log = openGatewayLog(environment.stateDir, (text) => state.redact?.(text) ?? text)
  copyLogLines(log.own)
  const state: ServeState = { onOutput: log.output }
  const gateway = await openGateway(environment, flags, state)
  if (gateway === undefined) return
  state.redact = gateway.redact
  state.dismiss = gateway.dismiss
  const usage = openUsageLog(environment.stateDir)
  const { metrics } = state
  const front: FrontOptions = {
    crib: countUsage(gateway.crib, usage, metrics && countListed(gateway.crib, metrics)),
    ...defined({ features: gateway.features, shared: gateway.shared }),
    degraded: () => (gateway.configVersions > 1 ? ['config'] : []),
    activity: createActivity(),
    onToolCall: () => {},
    onError: (error) => logLine(error.message),
  }
  let opened: OpenedDoor
  try {
    if (flags.http) requireReadableAddress(gateway.loaded, flags)
    if (flags.http) await gateway.warmUp(WARM_UP_MS)
    if (flags.http) state.access = await httpAccessFor(environment, gateway.loaded, flags, { state, log: log.own })
    opened = await openDoor(front, gateway, { environment, flags, access: state.access, metrics })
  } catch (error) {
    await gateway[Symbol.asyncDispose]()
    await state.access?.[Symbol.asyncDispose]()
    throw error
  }
  const { door, shared } = opened
  compileEarly()
  // A gateway over HTTP may serve many people, so it keeps the memory that makes it faster under load.
  if (!flags.http) keepHeapSmall()
  state.door = door
  state.measured = { gateway, door, activity: front.activity }
  const http = () => describeHttp(gateway, door, state.access)
  const control = tryOpenControlServer(environment, gateway, flags.http ? { http } : controlOptions(flags, shared))
  endOnSignalOrDisconnect(door, async (hurry) => {
    await (await control)?.close()
    await door.close(hurry)
    await gateway[Symbol.asyncDispose]()
    await state.access?.[Symbol.asyncDispose]()
    await state.failures?.close()
    await usage[Symbol.asyncDispose]()
    log.own('stopped')
    await log[Symbol.asyncDispose]()
  })
  log.own(`Toolcrib ${environment.version} serves on ${servedOn(door, shared)}`)
  await gateway.watch()
  // Clients join a shared gateway through its control server. A gateway over stdio does not wait until its own is open.
  if (shared !== undefined && (await control) === undefined) process.exit(1)
  // `toolcrib inspector` and `config reload` must find the gateway as soon as its address is printed.
  if (flags.http) await control
  if (flags.http && flags.announce !== undefined) await flags.announce(http(), state.access?.ownToken)
  else if (flags.http)
    await (await import('./banner.ts')).printBanner(gateway, door.url, state.access, { ...flags, environment })
  else if (process.stdin.isTTY === true && flags.quiet !== true) logLine(WAITS_FOR_CLIENT)
}

/** Opens the shared gateway unless another process has opened it. The lock prevents two starts at the same time. */
async function asOnlyShared({ stateDir }: Environment, key: string, open: () => Promise<void>): Promise<void> {
  await makeFolder(gatewaysDir(stateDir))
  const lock = join(gatewaysDir(stateDir), `shared-${key}.lock`)
  await withLock(lock, { waitMs: MAX_START_MS }, async () => {
    if (!(await isSharedRunning(stateDir, key))) await open()
  })
}

/** Printed if a person started `serve` by hand; a client connects pipes instead of a terminal. */
const WAITS_FOR_CLIENT =
  'waiting for an MCP client on stdin (a client starts this program itself); use --http to serve on an address, Ctrl-C to end'

/** The parts of the gateway that are created during the start. */
interface ServeState {
  door?: Door
  /** The reason for a strategy from the environment at the last load, so that a reload does not log it again. */
  switched?: string
  access?: HttpAccess | undefined
  metrics?: Metrics | undefined
  measured?: MeasuredParts
  failures?: FailureKeeper
  /** Removes secrets from lines for the log file. Absent until the gateway is open: no server starts before that. */
  redact?(text: string): string
  /** Ends the servers of a principal. Absent until the gateway is open. */
  dismiss?(principal: string): void
  onOutput(server: string, lines: readonly string[]): void
}

/**
 * Does not wait for the servers to start. Undefined if the configuration sets `shared`, and the shared gateway has
 * served the client.
 */
async function openGateway(
  environment: Environment,
  flags: ServeFlags,
  state: ServeState,
): Promise<Gateway | undefined> {
  const load = async (signal: AbortSignal) => withTokens(await loadServed(environment, flags, state, signal), flags)
  let first: LoadedConfig | undefined = await load(new AbortController().signal)
  if (isShared(first.config, flags)) {
    if (await joinShared(environment)) return undefined
    // The files may have changed meanwhile.
    first = undefined
  }
  const { version, ownEnv, stateDir, cacheDir } = environment
  const failures = keepFailures(environment, () => gateway.loaded.servers)
  state.failures = failures
  const gateway = await createGateway({
    name: 'toolcrib',
    version,
    env: ownEnv,
    stateDir,
    cacheDir,
    strategy: flags.strategy,
    expectsCalls: true,
    isServing: flags.http,
    load: async (signal) => {
      const loaded = first ?? (await load(signal))
      first = undefined
      return loaded
    },
    onProblem: report,
    onOutput: state.onOutput,
    onLog: (record) => logRecord(record),
    observe: async (config) => {
      if (flags.http) state.metrics = await openMetrics(config, () => state.measured ?? {})
      return state.metrics?.observer
    },
    onFailedStart: failures.note,
    onChoice: logLine,
    onReload: (loaded) => {
      readdress(state.door, loaded, logLine)
      void closeRevoked(state, loaded).catch((error) => logLine(messageOf(error)))
    },
  })
  const { problems } = gateway.loaded
  for (const problem of problems) if (problem.severity !== 'info') report({ message: problem.message, config: problem })
  if (!gateway.loaded.config.discovery.enabled) logLine(DISCOVERY_IS_OFF)
  return gateway
}

/** Whether the configuration makes this process join a shared gateway. `--shared` and `--no-shared` take precedence. */
export function isShared(
  config: Pick<LoadedConfig['config'], 'shared'>,
  { http, shared, sharedKey }: ServeFlags,
): boolean {
  return config.shared && !http && shared === undefined && sharedKey === undefined
}

/** Closes the connections and the servers of principals after their token has become invalid. */
async function closeRevoked(state: ServeState, loaded: LoadedConfig): Promise<void> {
  for (const principal of (await state.access?.update(loaded)) ?? []) dismiss(state, principal)
}

async function loadServed(
  environment: Environment,
  flags: ServeFlags,
  state: ServeState,
  signal: AbortSignal,
): Promise<LoadedConfig> {
  const ownUrls = (http: LoadedConfig['config']['http']) => {
    const { host, port } = addressOf(http, flags)
    const names = http.allowedHosts.flatMap((name) => [`https://${name}`, `http://${name}`])
    return flags.http ? [state.door?.url ?? httpUrl(host, port), ...names] : []
  }
  const variables = readVariables(environment)
  const all = await loadFor({ ...environment, ...variables }, { config: flags.config, ownUrls }, signal)
  const read = flags.sharedKey === undefined ? all : { ...all, servers: servedToAll(all) }
  const loaded = { ...read, watched: [...read.watched, secretsFile(environment)] }
  const chosen = chooseStrategy(loaded, flags, variables.env)
  const { switched } = chosen
  if (switched !== undefined && switched.reason !== state.switched && flags.quiet !== true)
    logLine(switchLine(switched))
  state.switched = switched?.reason ?? ''
  const served = withStrategy(loaded, flags, variables.env)
  // A wrong strategy fails the start. An edit of the strategy after the start takes effect only at the next start.
  if (state.door === undefined) checkStrategy(chosen)
  return flags.demo && served.servers.length + ownSourceNames(served).length === 0
    ? { ...served, servers: await (await import('./demo.ts')).demoServers() }
    : served
}

/** The servers of a shared gateway. The log names the servers that are left out. */
function servedToAll(loaded: LoadedConfig): LoadedConfig['servers'] {
  const { servers, note } = withoutFolderServers(loaded)
  if (note !== undefined) logLine(note)
  return servers
}

/** Over HTTP, a configuration with unusable tokens is invalid, unless --no-auth is given. */
async function withTokens(loaded: LoadedConfig, flags: ServeFlags): Promise<LoadedConfig> {
  if (!flags.http || !flags.auth) return loaded
  const { namedTokens } = await import('./config-tokens.ts')
  const { problems } = namedTokens(loaded)
  if (problems.length === 0) return loaded
  return { ...loaded, problems: [...loaded.problems, ...problems], isValid: false }
}

function report({ server, message, config }: GatewayProblem): void {
  const where = config === undefined ? (server ?? '') : [config.file, config.path].filter(Boolean).join(' ')
  logLine(where === '' ? message : `${where}: ${message}`, server)
}
