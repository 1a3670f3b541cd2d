// Opens the front door of `toolcrib serve`, with the options from the configuration and the flags.

import type { Config } from '../../config/config.ts'
import type { AddressOptions } from '../../config/http-settings.ts'
import type { LoadedConfig } from '../../config/load/load.ts'
import type { ConfigProblem } from '../../config/problem.ts'
import { defined } from '../../core/defined.ts'
import { raise } from '../../core/errors.ts'
import { isLoopback } from '../../core/is-loopback.ts'
import { findSimilarTools } from '../../core/similarity.ts'
import { messageOf } from '../../core/text.ts'
import type { Gateway } from '../../crib/from-config.ts'
import type { AccessRecord } from '../../front/access-log.ts'
import { publicHostIn } from '../../front/address.ts'
import { type Door, openHttpDoor, openStdioDoor } from '../../front/doors.ts'
import type { FrontOptions } from '../../front/front-options.ts'
import type { InspectorOptions } from '../../front/inspector/inspector-options.ts'
import type { Metrics } from '../../front/metrics/metrics.ts'
import { openSharedDoor, type SharedDoor } from '../../front/shared-door.ts'
import type { Environment } from '../../setup/environment.ts'
import type { ControlOptions, HttpGateway } from '../gateway/control-server.ts'
import { endMessages } from '../gateway/end-process.ts'
import { logLine, logRecord } from '../gateway/gateway-log.ts'
import { type HttpFlags, portFrom } from '../gateway/http-flags.ts'
import type { HttpAccess } from './http-access.ts'
import { accessListener } from './serve-metrics.ts'

interface OpenedDoor {
  readonly door: Door
  /** The same door, if this process is the shared gateway. */
  readonly shared?: SharedDoor
}

interface DoorContext {
  readonly environment: Environment
  readonly flags: ServeFlags
  /** Undefined with --no-auth, and for a door without HTTP. */
  readonly access: HttpAccess | undefined
  readonly metrics: Metrics | undefined
}

export async function openDoor(
  front: FrontOptions,
  gateway: Gateway,
  { environment, flags, access, metrics }: DoorContext,
): Promise<OpenedDoor> {
  const { loaded, redact } = gateway
  const { address, http, logs, end, maxMessageBytes, idleMs } = doorOptions(loaded.config, flags, redact, metrics)
  if (flags.sharedKey !== undefined) {
    const shared = openSharedDoor(front, { ...end, maxMessageBytes, idleMs })
    return { door: shared, shared }
  }
  if (!flags.http) return { door: openStdioDoor(front, { ...end, maxMessageBytes, principal: flags.client }) }
  const inspector: InspectorOptions = {
    gateway,
    // Loaded when the inspector gets its first request for data.
    reports: async () => (await import('./inspector-reports.ts')).inspectorReports(gateway, environment),
  }
  const options = { ...address, ...access?.login, http, ...logs, metrics: metrics?.page, inspector, ...end }
  return { door: await openHttpDoor(front, options) }
}

/** The name of the door for the log. */
export function servedOn({ url }: Door, shared: SharedDoor | undefined): string {
  if (shared !== undefined) return 'its socket, shared by all clients'
  return url.startsWith('http') ? url : 'stdio'
}

/** The options with which the control server of a shared gateway lets clients join. Empty for another gateway. */
export function controlOptions({ sharedKey: key }: ServeFlags, door: SharedDoor | undefined): ControlOptions {
  if (key === undefined || door === undefined) return {}
  return { shared: { key, clients: () => door.clients, join: door.join } }
}

function publicAddress({ http }: Pick<Config, 'http'>): AddressOptions {
  const { allowedHosts, allowedOrigins, trustProxy, basePath, tls } = http
  const files = tls && { cert: tls.cert, key: tls.key }
  return defined({ allowedHosts, allowedOrigins, trustProxy, basePath, tls: files })
}

/** The options of the front doors. A door uses those that apply to its kind. */
export function doorOptions(
  config: LoadedConfig['config'],
  flags: ServeFlags,
  redact?: Gateway['redact'],
  metrics?: Metrics,
) {
  const { drainMs, maxMessageBytes, sharedIdleMs: idleMs } = config.limits
  const address = addressOf(config.http, flags)
  const end = { drainMs, ...endMessages }
  const log = config.log.access ? (record: AccessRecord) => logRecord(record, redact) : undefined
  const logs = { onAccess: accessListener(log, metrics) }
  return { address, http: publicAddress(config), logs, end, maxMessageBytes, idleMs }
}

/** The address to listen on. A flag takes precedence over the configuration. */
export function addressOf(http: LoadedConfig['config']['http'], { host, port }: ServeFlags) {
  return { host: host ?? http.host, port: portFrom(port, 'toolcrib serve') ?? http.port }
}

/** Applies an edited public address. If the door refuses it (a public name without tokens), the old address stays. */
export function readdress(
  door: Door | undefined,
  { config }: LoadedConfig,
  onProblem: (message: string) => void,
): void {
  try {
    door?.readdress?.(publicAddress(config))
  } catch (error) {
    onProblem(messageOf(error))
  }
}

/**
 * Refuses to start over HTTP if a mistake in the config may hide a setting of `http`. Without `tls`, for example, clients
 * would send their tokens in clear text. Other mistakes do not prevent the start.
 */
export function requireReadableAddress({ config, problems, origin }: LoadedConfig, flags: ServeFlags): void {
  if (origin.kind === 'defaults') return
  const isPublic = !isLoopback(addressOf(config.http, flags).host)
  const names = Object.keys(config)
  const mayHideHttp = ({ path, kind }: ConfigProblem) => {
    if (/^http(?=$|[.[])/.test(path)) return true
    // A key that is not an identifier is quoted in the path. NFKC turns full-width letters into plain ones.
    const key = path
      .replace(/^discovery\./, '')
      .replace(/^\["(.*)"\]$/, '$1')
      .normalize('NFKC')
    const isLikeHttp = key.startsWith('http.') || findSimilarTools(key, names, 1)[0] === 'http'
    if (kind === 'unknown-key' && isLikeHttp) return true
    // If other machines can connect, any unknown key at the top level counts, and so does a file that cannot be read.
    return isPublic && (path === '' || (kind === 'unknown-key' && /^(?:[^.[]+|\[.+)$/.test(path)))
  }
  const { file } = origin
  const wrong = problems.find((one) => one.severity === 'error' && one.file === file && mayHideHttp(one))
  if (wrong === undefined) return
  const reason = [wrong.path, wrong.message].filter(Boolean).join(': ')
  raise('CONFIG_INVALID', { file, reason, given: origin.kind === 'explicit' ? file : undefined })
}

/** The address of the gateway, and how a person opens its inspector, for `toolcrib inspector`. */
export function describeHttp(
  { loaded }: Pick<Gateway, 'loaded'>,
  { url }: Pick<Door, 'url'>,
  access: HttpAccess | undefined,
): HttpGateway {
  const login = access === undefined ? 'none' : access.ownToken === undefined ? 'other' : 'own'
  return { url, inspector: loaded.config.http.inspector, login }
}

/** The parts of a gateway that have connections and servers of a principal. */
interface PrincipalOwners {
  readonly door?: Door
  dismiss?(principal: string): void
}

/** Closes the connections and the servers of a principal. */
export function dismiss(state: PrincipalOwners, principal: string): void {
  state.door?.dismiss?.(principal)
  state.dismiss?.(principal)
}

/** Undefined with --no-auth, which accepts requests without a token. */
export async function httpAccessFor(
  environment: Environment,
  loaded: LoadedConfig,
  flags: ServeFlags,
  { state, log }: { readonly state: PrincipalOwners; log(line: string): void },
): Promise<HttpAccess | undefined> {
  const { host } = addressOf(loaded.config.http, flags)
  if (flags.auth) {
    const { createHttpAccess } = await import('./http-access.ts')
    const onRevoked = (principal: string) => dismiss(state, principal)
    return createHttpAccess(environment, loaded, { onProblem: logLine, onRevoked, log })
  }
  const isLocal = isLoopback(host)
  const publicHost = isLocal ? publicHostIn(loaded.config.http) : host
  if (publicHost === undefined) return undefined
  const cause = isLocal ? `http.allowedHosts has the name '${publicHost}'` : `'${publicHost}' is not one`
  return raise('INVALID_ARGUMENTS', {
    reason: `--no-auth works only on a loopback address, and ${cause}`,
    command: 'toolcrib serve',
    todo: 'Leave out --no-auth: a request then needs a token of `toolcrib token add`, http.tokens or a company login.',
  })
}

export interface ServeFlags extends HttpFlags {
  readonly strategy?: string
  readonly config?: string
  /** Set if this process is the shared gateway itself. */
  readonly sharedKey?: string
  readonly demo: boolean
  /** Prints the strategy, its reason and the cost of each strategy instead of serving. */
  readonly explain: boolean
  /** Not a flag: replaces the text that `serve --http` prints. `ownToken` is the generated token of this user. */
  announce?(gateway: HttpGateway, ownToken: string | undefined): Promise<void>
}
