// Runs `toolcrib serve`: opens the gateway and its front door, and closes both together.

import { join } from 'node:path'
import type { LoadedConfig } from '../../config/load/load.ts'
import { faultText } from '../../config/problem.ts'
import { defined } from '../../core/defined.ts'
import { messageOf } from '../../core/text.ts'
import { createGateway, type Gateway, type GatewayProblem } from '../../crib/from-config.ts'
import { createActivity } from '../../front/activity.ts'
import type { FrontOptions } from '../../front/front-options.ts'
import type { Metrics } from '../../front/metrics/metrics.ts'
import type { Environment } from '../../setup/environment.ts'
import { requireGivenConfig } from '../../setup/load-config.ts'
import { withLock } from '../../storage/file-lock.ts'
import { makeFolder } from '../../storage/make-folder.ts'
import { tryOpenControlServer } from '../gateway/control-server.ts'
import { endOnSignalOrDisconnect } from '../gateway/end-process.ts'
import { type FailureKeeper, keepFailures } from '../gateway/failed-starts.ts'
import { copyLogLines, logLine, logRecord, openGatewayLog } from '../gateway/gateway-log.ts'
import { checkHttpFlags } from '../gateway/http-flags.ts'
import { gatewaysDir, isSharedRunning, MAX_START_MS } from '../gateway/registration.ts'
import { compileEarly, keepHeapSmall } from '../gateway/v8-settings.ts'
import { DISCOVERY_IS_OFF } from '../output/notes.ts'
import { countUsage, openUsageLog } from '../usage/usage-log.ts'
import {
  controlOptions,
  describeHttp,
  dismiss,
  httpAccessFor,
  openDoor,
  readdress,
  requireReadableAddress,
  type ServeFlags,
  servedOn,
} from './front-door.ts'
import type { HttpAccess } from './http-access.ts'
import { type LoadState, loadServed } from './load-served.ts'
import { countListed, type MeasuredParts, openMetrics } from './serve-metrics.ts'
import { noteWaiting } from './waits-for-client.ts'

export async function serve(environment: Environment, flags: ServeFlags): Promise<void> {
  checkHttpFlags(flags, 'toolcrib serve')
  if (flags.shared === true) await joinShared(environment)
  // Checked at the start only: if the file disappears later, the last good config stays in force.
  await requireGivenConfig(environment, flags.config)
  const { sharedKey } = flags
  if (sharedKey === undefined) return openAndServe(environment, flags)
  await asOnlyShared(environment, sharedKey, () => openAndServe(environment, flags))
}

/** Returns only if the client must be served alone. Otherwise the shared gateway serves it, and the process ends. */
async function joinShared(environment: Environment): Promise<void> {
  const { joinGateway } = await import('../gateway/join-gateway.ts')
  await joinGateway(environment, process.argv.slice(2))
}

/** A gateway over HTTP accepts requests after this time at the latest, even if its servers have not started yet. */
const WARM_UP_MS = 10_000

/** Returns when the gateway serves. A signal or the end of the front door ends the process later. */
async function openAndServe(environment: Environment, flags: ServeFlags): Promise<void> {
  const log = openGatewayLog(environment.stateDir, (text) => state.redact?.(text) ?? text)
  copyLogLines(log.own)
  const state: ServeState = { onOutput: log.output }
  const { gateway, usage, front, door, shared } = await openServed(environment, flags, state, log.own)
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
  // Clients join a shared gateway through its control server. A gateway over stdio does not wait for its control
  // server.
  if (shared !== undefined && (await control) === undefined) process.exit(1)
  // `toolcrib inspector` and `config reload` must find the gateway as soon as its address is printed.
  if (flags.http) await control
  if (flags.http && flags.announce !== undefined) await flags.announce(http(), state.access?.ownToken)
  else if (flags.http)
    await (await import('./banner.ts')).printBanner(gateway, door.url, state.access, {
      ...flags,
      environment,
    })
  else noteWaiting(flags)
}

/** Opens the gateway and its door. If the door cannot be opened, closes the gateway. */
async function openServed(environment: Environment, flags: ServeFlags, state: ServeState, log: (line: string) => void) {
  const gateway = await openGateway(environment, flags, state)
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
  try {
    if (flags.http) requireReadableAddress(gateway.loaded, flags)
    if (flags.http) await gateway.warmUp(WARM_UP_MS)
    if (flags.http) state.access = await httpAccessFor(environment, gateway.loaded, flags, { state, log })
    const opened = await openDoor(front, gateway, { environment, flags, access: state.access, metrics })
    return { gateway, usage, front, ...opened }
  } catch (error) {
    await gateway[Symbol.asyncDispose]()
    await state.access?.[Symbol.asyncDispose]()
    throw await (await import('../gateway/find-address-user.ts')).withAddressUser(error, environment.stateDir)
  }
}

/** Opens the shared gateway unless another process has opened it. The lock prevents two starts at the same time. */
async function asOnlyShared({ stateDir }: Environment, key: string, open: () => Promise<void>): Promise<void> {
  await makeFolder(gatewaysDir(stateDir))
  const lock = join(gatewaysDir(stateDir), `shared-${key}.lock`)
  await withLock(lock, { waitMs: MAX_START_MS }, async () => {
    if (!(await isSharedRunning(stateDir, key))) await open()
  })
}

/** The parts of the gateway that are created during the start. */
interface ServeState extends LoadState {
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

/** Does not wait for the servers to start. Joins the shared gateway first if the configuration sets `shared`. */
async function openGateway(environment: Environment, flags: ServeFlags, state: ServeState): Promise<Gateway> {
  const load = (signal: AbortSignal) => loadServed(environment, flags, state, signal)
  const loadFirst = async (signal: AbortSignal): Promise<LoadedConfig> => {
    const loaded = await load(signal)
    if (!isShared(loaded.config, flags)) return loaded
    await joinShared(environment)
    // The files may have changed meanwhile.
    return load(signal)
  }
  let isStarting = true
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
    // The first load belongs to the gateway: it must know when that load began, to find later edits.
    load(signal) {
      const loading = isStarting ? loadFirst(signal) : load(signal)
      isStarting = false
      return loading
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

function report({ server, message, config }: GatewayProblem): void {
  const where = config === undefined ? (server ?? '') : [config.file, config.path].filter(Boolean).join(' ')
  const text = config?.path === '' ? faultText(config) : message
  logLine(where === '' ? text : `${where}: ${text}`, server)
}
