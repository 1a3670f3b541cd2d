// What `toolcrib serve` does: opens the gateway and a door to it, and ends both together.

import type { LoadedConfig } from '../config/load.ts'
import { raise } from '../core/errors.ts'
import { messageOf } from '../core/text.ts'
import { createGateway, type Gateway, type GatewayProblem } from '../crib/from-config.ts'
import { switchLine } from '../disclosure/strategy-switches.ts'
import { createActivity } from '../front/activity.ts'
import { type Door, httpUrl, openHttpDoor, openStdioDoor } from '../front/doors.ts'
import { isLoopback } from '../front/http-request.ts'
import type { FrontOptions } from '../front/protocol-server.ts'
import { checkStrategy, chooseStrategy, withStrategy } from './choose-strategy.ts'
import { type ControlServer, openControlServer } from './control/control-server.ts'
import { type Environment, readVariables } from './environment.ts'
import { loadFor } from './load-config.ts'
import { DISCOVERY_IS_OFF } from './no-servers.ts'
import { secretsFile } from './secrets-file.ts'
import type { Doorkeeper } from './serve/doorkeeper.ts'
import { complain, endMessages, endWith } from './serve/end-with.ts'
import { type FailureKeeper, keepFailures } from './serve/keep-failures.ts'
import { portFrom } from './serve/port.ts'
import { checkServe } from './serve-checks.ts'
import type { ServeFlags } from './serve-flags.ts'
import { countUsage } from './stats/count-usage.ts'
import { openUsageLog } from './stats/usage-log.ts'

export async function serve(environment: Environment, flags: ServeFlags): Promise<void> {
  await checkServe(environment, flags)
  const own: Own = {}
  const gateway = await openGateway(environment, flags, own)
  const usage = openUsageLog(environment.stateDir)
  const front: FrontOptions = {
    crib: countUsage(gateway.crib, usage),
    ...(gateway.features === undefined ? {} : { features: gateway.features }),
    activity: createActivity(),
    onToolCall: () => {},
    onError: (error) => complain(error.message),
  }
  let door: Door
  try {
    if (flags.http) own.doorkeeper = await doorkeeperFor(environment, gateway.loaded, flags)
    const { address, end, maxMessageBytes } = doorOptions(gateway.loaded.config, flags)
    door = flags.http
      ? await openHttpDoor(front, { ...address, auth: own.doorkeeper?.auth, ...end })
      : openStdioDoor(front, { ...end, maxMessageBytes })
  } catch (error) {
    await gateway[Symbol.asyncDispose]()
    throw error
  }
  own.door = door
  // Not waited for: a client may leave at once.
  const control = openControl(environment, gateway)
  endWith(door, async (hurry) => {
    await (await control)?.close()
    await door.close(hurry)
    await gateway[Symbol.asyncDispose]()
    await own.failures?.close()
    await usage[Symbol.asyncDispose]()
  })
  await gateway.watch()
  if (flags.http) await (await import('./banner.ts')).printBanner(gateway, door.url, own.doorkeeper?.tokens, flags)
  else if (process.stdin.isTTY === true && flags.quiet !== true) complain(WAITS_FOR_CLIENT)
}

/** For a person who started it by hand: a client has no terminal. */
const WAITS_FOR_CLIENT =
  'waiting for an MCP client on stdin, as one that starts this program; --http serves on an address instead, Ctrl-C ends it'

/** What this gateway is to itself once it stands: its address, and who keeps its door. */
interface Own {
  door?: Door
  /** Said in the log already: a reload says nothing new about the environment. */
  switched?: string
  doorkeeper?: Doorkeeper | undefined
  failures?: FailureKeeper
}

/** Waits for no server. */
async function openGateway(environment: Environment, flags: ServeFlags, own: Own): Promise<Gateway> {
  const { version, env, stateDir, cacheDir } = environment
  const failures = keepFailures(environment, () => gateway.loaded.servers)
  own.failures = failures
  const gateway = await createGateway({
    name: 'toolcrib',
    version,
    env,
    stateDir,
    cacheDir,
    strategy: flags.strategy,
    load: async (signal) => withTokens(await loadServed(environment, flags, own, signal), flags),
    onProblem: report,
    onFailedStart: failures.note,
    onChoice: complain,
    onReload: (loaded) => {
      void letIn(own, loaded).catch((error) => complain(messageOf(error)))
    },
  })
  const { problems } = gateway.loaded
  for (const config of problems) if (config.severity !== 'info') report({ message: config.message, config })
  if (!gateway.loaded.config.discovery.enabled) complain(DISCOVERY_IS_OFF)
  return gateway
}

/** Whoever has lost the right to be here is shown out. */
async function letIn({ doorkeeper, door }: Own, loaded: LoadedConfig): Promise<void> {
  const gone = (await doorkeeper?.follow(loaded)) ?? []
  for (const principal of gone) door?.dismiss?.(principal)
}

async function loadServed(
  environment: Environment,
  flags: ServeFlags,
  own: Own,
  signal: AbortSignal,
): Promise<LoadedConfig> {
  const ownUrls = (http: LoadedConfig['config']['http']) => {
    const { host, port } = addressOf(http, flags)
    return flags.http ? [own.door?.url ?? httpUrl(host, port)] : []
  }
  const env = readVariables(environment)
  const read = await loadFor({ ...environment, env }, { config: flags.config, ownUrls }, signal)
  const loaded = { ...read, watched: [...read.watched, secretsFile(environment)] }
  const { switched } = chooseStrategy(loaded, flags, env)
  if (switched !== undefined && switched.reason !== own.switched && flags.quiet !== true) complain(switchLine(switched))
  own.switched = switched?.reason ?? ''
  const served = withStrategy(loaded, flags, env)
  // Before anything is opened. In an edit, a strategy takes effect at the next start.
  const { strategy = '', strategyOptions } = served.config.discovery
  if (own.door === undefined) checkStrategy(strategy, strategyOptions)
  return flags.demo && served.servers.length === 0
    ? { ...served, servers: await (await import('./demo.ts')).demoServers() }
    : served
}

/** Over HTTP, a configuration whose tokens cannot be used is a wrong one. */
async function withTokens(loaded: LoadedConfig, flags: ServeFlags): Promise<LoadedConfig> {
  if (!flags.http || !flags.auth) return loaded
  const { namedTokens } = await import('./serve/doorkeeper.ts')
  const { problems } = namedTokens(loaded)
  if (problems.length === 0) return loaded
  return { ...loaded, problems: [...loaded.problems, ...problems], isValid: false }
}

/** A gateway that cannot be reached by `config reload` still serves, and follows its files. */
async function openControl(environment: Environment, gateway: Gateway): Promise<ControlServer | undefined> {
  try {
    return await openControlServer(environment, gateway)
  } catch (error) {
    complain(`\`toolcrib config reload\` will not reach this gateway: ${messageOf(error)}`)
    return undefined
  }
}

/** How the gateway listens, what it reads at most over stdio, and how it ends. */
export function doorOptions({ http, limits }: LoadedConfig['config'], flags: ServeFlags) {
  const { drainMs, maxMessageBytes } = limits
  return { address: addressOf(http, flags), end: { drainMs, ...endMessages }, maxMessageBytes }
}

/** Where the gateway listens: a flag takes precedence over the configuration. */
function addressOf(http: LoadedConfig['config']['http'], { host, port }: ServeFlags) {
  return { host: host ?? http.host, port: portFrom(port, 'toolcrib serve') ?? http.port }
}

/** Undefined where nobody is asked who they are. */
async function doorkeeperFor(
  environment: Environment,
  loaded: LoadedConfig,
  flags: ServeFlags,
): Promise<Doorkeeper | undefined> {
  const { host } = addressOf(loaded.config.http, flags)
  if (flags.auth) return (await import('./serve/doorkeeper.ts')).createDoorkeeper(environment, loaded, complain)
  if (isLoopback(host)) return undefined
  return raise('INVALID_ARGUMENTS', {
    reason: `--no-auth works on loopback only, and '${host}' is not`,
    command: 'toolcrib serve',
  })
}

function report({ server, message, config }: GatewayProblem): void {
  const where = config === undefined ? (server ?? '') : [config.file, config.path].filter(Boolean).join(' ')
  complain(where === '' ? message : `${where}: ${message}`)
}
