// What `toolcrib serve` does: opens the gateway and a door to it, and ends both together.

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { LoadedConfig } from '../config/load.ts'
import { resolveText } from '../config/references.ts'
import { raise } from '../core/errors.ts'
import { messageOf } from '../core/text.ts'
import { createGateway, type Gateway, type GatewayProblem } from '../crib/from-config.ts'
import { createActivity } from '../front/activity.ts'
import type { AuthOptions } from '../front/auth.ts'
import { type Door, openHttpDoor, openStdioDoor } from '../front/doors.ts'
import { isLoopback } from '../front/http.ts'
import type { FrontOptions } from '../front/protocol-server.ts'
import type { AppendLog } from '../storage/append-log.ts'
import { readOrMakeToken } from '../storage/token-file.ts'
import { printBanner } from './banner.ts'
import { type ControlServer, openControlServer } from './control/control-server.ts'
import { demoServers } from './demo.ts'
import type { Environment } from './environment.ts'
import { loadFor } from './load-config.ts'
import { checkServe } from './serve-checks.ts'
import type { ServeFlags } from './serve-flags.ts'
import { countUsage } from './stats/count-usage.ts'
import { openUsageLog } from './stats/usage-log.ts'

export async function serve(environment: Environment, flags: ServeFlags): Promise<void> {
  await checkServe(environment, flags)
  const gateway = await openGateway(environment, flags)
  const usage = openUsageLog(environment.stateDir)
  const front: FrontOptions = {
    crib: countUsage(gateway.crib, usage),
    ...(gateway.features === undefined ? {} : { features: gateway.features }),
    activity: createActivity(),
    onToolCall: () => {},
    onError: (error) => complain({ message: error.message }),
  }
  let auth: Awaited<ReturnType<typeof authFor>>
  let door: Door
  try {
    auth = flags.http ? await authFor(environment, gateway.loaded, flags) : undefined
    door = flags.http ? await openHttpDoor(front, { ...addressOf(gateway.loaded, flags), auth }) : openStdioDoor(front)
  } catch (error) {
    await gateway[Symbol.asyncDispose]()
    throw error
  }
  // Not waited for: a client that leaves at once must find someone who notices.
  const control = openControl(environment, gateway)
  endWith({ door, gateway, control, usage, isHttp: flags.http })
  await gateway.watch()
  if (flags.http) await printBanner(gateway, door.url, auth?.tokens, flags)
}

/** Waits for no server. */
export async function openGateway(
  environment: Environment,
  flags: Pick<ServeFlags, 'config' | 'strategy' | 'demo'>,
): Promise<Gateway> {
  const { version, env, stateDir, cacheDir } = environment
  const gateway = await createGateway({
    name: 'toolcrib',
    version,
    env,
    stateDir,
    cacheDir,
    strategy: flags.strategy,
    async load(signal) {
      const loaded = withSwitches(await loadFor(environment, { config: flags.config }, signal), env)
      return flags.demo && loaded.servers.length === 0 ? { ...loaded, servers: await demoServers() } : loaded
    },
    onProblem: complain,
  })
  for (const config of gateway.loaded.problems) {
    if (config.severity !== 'info') complain({ message: config.message, config })
  }
  return gateway
}

/** What the environment chooses where neither a flag nor the config does. */
function withSwitches(loaded: LoadedConfig, env: Environment['env']): LoadedConfig {
  const { config } = loaded
  const isLazy = /^(?:true|1|yes|on)$/i.test(env.LAZY_MODE ?? '')
  const chosen = env.TOOL_LOADING?.toLowerCase() === 'lazy' ? 'categories' : isLazy ? 'manage' : undefined
  if (chosen === undefined || config.discovery.strategy !== undefined) return loaded
  return { ...loaded, config: { ...config, discovery: { ...config.discovery, strategy: chosen } } }
}

/** A gateway that cannot be reached by `config reload` still serves, and follows its files. */
async function openControl(environment: Environment, gateway: Gateway): Promise<ControlServer | undefined> {
  try {
    return await openControlServer(environment, gateway)
  } catch (error) {
    complain({ message: `\`toolcrib config reload\` will not reach this gateway: ${messageOf(error)}` })
    return undefined
  }
}

function addressOf({ config }: LoadedConfig, { host, port }: ServeFlags) {
  if (port !== undefined && (!/^\d+$/.test(port) || Number(port) > 65_535)) {
    raise('INVALID_ARGUMENTS', {
      reason: `--port takes a number from 0 (any free port) to 65535, not '${port}'`,
      command: 'toolcrib serve',
    })
  }
  return { host: host ?? config.http.host, port: port === undefined ? config.http.port : Number(port) }
}

async function authFor(
  { stateDir, env }: Environment,
  loaded: LoadedConfig,
  flags: ServeFlags,
): Promise<(AuthOptions & { readonly tokens: Readonly<Record<string, string>> }) | undefined> {
  const { host } = addressOf(loaded, flags)
  if (!flags.auth) {
    if (isLoopback(host)) return undefined
    return raise('INVALID_ARGUMENTS', {
      reason: `--no-auth works on loopback only, and '${host}' is not`,
      command: 'toolcrib serve',
    })
  }
  const named = Object.entries(loaded.config.http.tokens).map(([principal, text]) => {
    const resolved = resolveText(text, env)
    if (resolved.ok) return [principal, resolved.text] as const
    const { origin } = loaded
    return raise('CONFIG_INVALID', {
      file: origin.kind === 'defaults' ? '' : origin.file,
      reason: `http.tokens.${principal} refers to ${resolved.missing.join(', ')}, which is not set`,
    })
  })
  if (named.length > 0) return { tokens: Object.fromEntries(named) }
  return { tokens: { user: await ownToken(join(stateDir, 'token')) } }
}

/** Where no file can be kept, a token for this run: it is printed with the address. */
async function ownToken(file: string): Promise<string> {
  try {
    return await readOrMakeToken(file)
  } catch (error) {
    complain({ message: `the token cannot be kept, so the next start makes another: ${messageOf(error)}` })
    return randomBytes(24).toString('base64url')
  }
}

interface Running {
  readonly door: Door
  readonly gateway: Gateway
  readonly control: Promise<ControlServer | undefined>
  readonly usage: AppendLog
  readonly isHttp: boolean
}

/** Ctrl-C, TERM or, over stdio, the client leaving: calls under way are finished, then every server is stopped. */
function endWith({ door, gateway, control, usage, isHttp }: Running): void {
  let isEnding = false
  const end = async (exitCode: number) => {
    if (isEnding) return
    isEnding = true
    await (await control)?.close()
    await door.close()
    await gateway[Symbol.asyncDispose]()
    await usage[Symbol.asyncDispose]()
    process.exit(exitCode)
  }
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 0],
    ['SIGHUP', 0],
  ] as const) {
    process.on(signal, () => void end(code))
  }
  if (!isHttp) process.stdin.once('end', () => void end(0)).once('close', () => void end(0))
}

/** stdout may belong to the protocol. */
function complain({ server, message, config }: GatewayProblem): void {
  const where = config === undefined ? (server ?? '') : [config.file, config.path].filter(Boolean).join(' ')
  process.stderr.write(`toolcrib: ${where === '' ? '' : `${where}: `}${message}\n`)
}
