// Runs `toolcrib wrap`: starts the server, opens a front door to it, and closes both together.

import { join } from 'node:path'
import { type Connection, givenConnection, NAMED_KINDS } from '../../../config/connection-kinds.ts'
import { defaultConfig } from '../../../config/parse-config.ts'
import { raise } from '../../../core/errors.ts'
import { isLoopback } from '../../../core/is-loopback.ts'
import { messageOf } from '../../../core/text.ts'
import { openAudit } from '../../../crib/open-audit.ts'
import { auditRecorder } from '../../../crib/recorders.ts'
import { openUsage } from '../../../crib/usage.ts'
import { openWrap, type Wrapped } from '../../../crib/wrap.ts'
import { auto } from '../../../disclosure/strategies/auto/auto.ts'
import { categories } from '../../../disclosure/strategies/categories/categories.ts'
import { type SwitchedStrategy, strategyIn, switchLine } from '../../../disclosure/strategy-switches.ts'
import type { AuthOptions } from '../../../front/auth.ts'
import { type Door, openHttpDoor, openStdioDoor } from '../../../front/doors.ts'
import { frontOf } from '../../../front/wrap-server.ts'
import type { Environment } from '../../../setup/environment.ts'
import { chooseStore, storeOpener } from '../../../storage/open-stores.ts'
import { readOrMakeToken } from '../../../storage/token-file.ts'
import { endMessages, endOnSignal, endOnSignalOrDisconnect } from '../../gateway/end-process.ts'
import { withAddressUser } from '../../gateway/find-address-user.ts'
import { copyLogLines, logLine, openGatewayLog } from '../../gateway/gateway-log.ts'
import { checkHttpFlags, type HttpFlags, portFrom } from '../../gateway/http-flags.ts'
import { clientAddress, shownToken, tokenLines } from '../../gateway/shown-address.ts'
import { compileEarly, keepHeapSmall } from '../../gateway/v8-settings.ts'
import { noteWaiting } from '../../serving/waits-for-client.ts'
import { checkStrategy } from '../../strategy/choose-strategy.ts'
import { splitNames, strategyFlags, strategyOptionsIn } from '../../strategy/strategy-flags.ts'
import { countUsage, openUsageLog } from '../../usage/usage-log.ts'
import { readHeaders } from '../../words/options.ts'

interface OpenedWrap extends AsyncDisposable {
  readonly wrapped: Wrapped
}

export async function wrap(environment: Environment, command: readonly string[], flags: WrapFlags): Promise<void> {
  // Checks all flags before the server is started, so that errors are reported at once.
  checkHttpFlags(flags, 'toolcrib wrap')
  const connection = connectionFrom(command, flags)
  const { switched, ...choice } = strategyFrom(flags, environment.env)
  checkStrategy({ strategy: choice.strategy, options: choice.strategyOptions })
  const port = portFrom(flags.port, 'toolcrib wrap')
  const maxResultTokens = resultTokensIn(flags)
  const auth = flags.http ? await authFor(environment, flags) : undefined

  if (switched !== undefined && flags.quiet !== true) logLine(switchLine(switched))
  // The source of the server redacts its problems before they are reported.
  const log = openGatewayLog(environment.stateDir, (text) => text)
  copyLogLines(log.own)
  const opened = await openUnlessEnded((signal) =>
    open(
      environment,
      {
        connection,
        onOutput: log.output,
        ...choice,
        hide: hiddenIn(flags),
        maxResultTokens,
        ...(flags.quiet === true ? {} : { onChoice: logLine }),
      },
      signal,
    ),
  )
  if (opened === undefined) return
  const usageLog = openUsageLog(environment.stateDir)
  const front = frontOf({ ...opened.wrapped, crib: countUsage(opened.wrapped.crib, usageLog) }, (error) =>
    logLine(error.message),
  )
  let door: Door
  try {
    door = flags.http
      ? await openHttpDoor(front, { host: flags.host, port, auth, ...endMessages })
      : openStdioDoor(front, endMessages)
  } catch (error) {
    await opened[Symbol.asyncDispose]()
    throw await withAddressUser(error, environment.stateDir)
  }
  compileEarly()
  if (!flags.http) keepHeapSmall()
  endOnSignalOrDisconnect(door, async (hurry) => {
    await door.close(hurry)
    await opened[Symbol.asyncDispose]()
    await usageLog[Symbol.asyncDispose]()
    await log[Symbol.asyncDispose]()
  })
  if (flags.http) announce(`${door.url}/mcp`, auth, flags, environment)
  else noteWaiting(flags)
}

/** Undefined if a signal ends the process during the start; the started server is then closed. */
async function openUnlessEnded(start: (signal: AbortSignal) => Promise<OpenedWrap>): Promise<OpenedWrap | undefined> {
  const starting = new AbortController()
  const opening = start(starting.signal)
  const signals = endOnSignal(async () => {
    starting.abort()
    await opening.then(
      (started) => started[Symbol.asyncDispose](),
      () => {},
    )
  })
  try {
    return await opening
  } catch (error) {
    if (starting.signal.aborted) return undefined
    throw error
  } finally {
    if (!starting.signal.aborted) signals.forget()
  }
}

async function open(
  { ownEnv, stateDir, cacheDir, version }: Environment,
  options: Pick<
    Parameters<typeof openWrap>[0],
    'connection' | 'onOutput' | 'strategy' | 'strategyOptions' | 'hide' | 'maxResultTokens' | 'onChoice'
  >,
  signal: AbortSignal,
): Promise<OpenedWrap> {
  const onProblem = ({ message }: { readonly message: string }) => logLine(message)
  // `wrap` reads no config, so it has the default store and the default settings of the audit log.
  const openStore = storeOpener(chooseStore(), { stateDir, cacheDir }, onProblem)
  const store = openStore('state')
  const manifests = openStore('manifests')
  const results = openStore('results')
  const usage = await openUsage({ store, onProblem: (error) => logLine(messageOf(error)) })
  const audit = await openAudit({
    config: defaultConfig(),
    file: join(stateDir, 'audit.jsonl'),
    store,
    onProblem: logLine,
  })
  const close = async () => {
    await Promise.allSettled([usage, audit, manifests, results].map((part) => part[Symbol.asyncDispose]()))
    // Last, because `usage` and `audit` write to it.
    await store[Symbol.asyncDispose]()
  }
  try {
    const wrapped = await openWrap(
      {
        ...options,
        // The wrapped server replaces a server of the client, so it gets the variables that were set for that one.
        env: ownEnv,
        clientInfo: { name: 'toolcrib', version },
        manifests,
        store,
        recorder: auditRecorder(audit, usage),
        usage,
        results,
        onProblem: logLine,
      },
      signal,
    )
    return {
      wrapped,
      async [Symbol.asyncDispose]() {
        await wrapped[Symbol.asyncDispose]()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function authFor({ stateDir }: Environment, { auth, host }: WrapFlags): Promise<AuthOptions | undefined> {
  if (auth) return { tokens: { user: await readOrMakeToken(join(stateDir, 'token'), logLine) } }
  if (host === undefined || isLoopback(host)) return undefined
  return refuse(`--no-auth works only on a loopback address, and '${host}' is not one`)
}

function announce(
  url: string,
  auth: AuthOptions | undefined,
  { json, quiet }: WrapFlags,
  environment: Environment,
): void {
  const shown = shownToken(auth?.tokens?.user, process.stdout.isTTY === true, environment)
  const token = shown.tokenFile === undefined ? shown.token : '<token>'
  const headers = token === null ? {} : { headers: { Authorization: `Bearer ${token}` } }
  const lines = [
    `Listening on ${url}`,
    ...tokenLines(shown, environment.home),
    '',
    'Paste into the configuration of an MCP client:',
    `  ${JSON.stringify({ mcpServers: { wrapped: { type: 'http', url: clientAddress(url), ...headers } } })}`,
    'Stop with Ctrl-C.',
  ]
  const document = { url: url.replace(/\/mcp$/, ''), mcp: url, transport: 'http', pid: process.pid, ...shown }
  const printed = json === true ? [JSON.stringify(document)] : quiet === true ? [url] : lines
  process.stdout.write(`${printed.join('\n')}\n`)
}

export interface WrapFlags extends Omit<HttpFlags, 'shared' | 'client'> {
  readonly strategy?: string
  readonly listing?: string
  readonly core?: string
  readonly hide?: string
  readonly maxResultTokens?: string
  readonly url?: string
  readonly header: readonly string[]
}

interface StrategyChoice {
  readonly strategy: string
  readonly strategyOptions: Readonly<Record<string, unknown>>
  /** Set if an environment variable chose the strategy. */
  readonly switched?: SwitchedStrategy
}

/** The connection to the wrapped server. */
function connectionFrom(words: readonly string[], flags: WrapFlags): Connection {
  const { url, header } = flags
  const [command, ...args] = words
  if ((command === undefined) === (url === undefined)) {
    return refuse('Give either the command that starts a server, after --, or the address of a server, with --url')
  }
  // A kind with a `flagText` has a flag with its name, such as `--sse`.
  const switches: Readonly<Record<string, unknown>> = { ...flags }
  const [chosen] = NAMED_KINDS.find(([type, { flagText }]) => flagText !== undefined && switches[type] === true) ?? []
  if (command !== undefined) {
    if (chosen !== undefined) return refuse(`--${chosen} needs --url; a server that is started by a command uses stdio`)
    if (header.length > 0) return refuse('--header needs --url; a server that is started by a command gets no headers')
  }
  const type = chosen ?? (command === undefined ? 'http' : 'stdio')
  const read = givenConnection({ type, command, args, url, headers: readHeaders(header, 'toolcrib wrap') })
  if (read.ok) return read.connection
  return refuse(
    url === undefined ? `The server cannot be wrapped: ${read.reason}` : `--url takes an address, not '${url}'`,
  )
}

/** A flag takes precedence over the environment. `--listing` and `--core` imply the strategy `categories`. */
export function strategyFrom(flags: WrapFlags, env: Readonly<Record<string, string | undefined>>): StrategyChoice {
  const { listing, core } = flags
  const implied = listing === undefined && core === undefined ? undefined : categories.name
  const named = flags.strategy ?? implied
  const switched = named === undefined ? strategyIn(env) : undefined
  const strategy = named ?? switched?.strategy ?? auto.name
  const hasListing = strategyFlags.some((flag) => flag.option === 'listing' && flag.strategies.includes(strategy))
  // `--core` implies the listing `hybrid`, except for a strategy without listings, such as `lazy`.
  const given = core === undefined || !hasListing ? { ...flags } : { ...flags, listing: listing ?? 'hybrid' }
  const strategyOptions = strategyOptionsIn(given, strategy, 'toolcrib wrap')
  return { strategy, strategyOptions, ...(switched === undefined ? {} : { switched }) }
}

/** The names or patterns in --hide, separated by commas as in `--core`. */
function hiddenIn({ hide }: Pick<WrapFlags, 'hide'>): readonly string[] {
  const names = hide === undefined ? [] : splitNames(hide)
  return typeof names === 'string' ? [names] : names
}

/** Undefined if results are not cut. */
function resultTokensIn({ maxResultTokens: text }: Pick<WrapFlags, 'maxResultTokens'>): number | undefined {
  if (text === undefined) return undefined
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  return refuse(`--max-result-tokens takes a whole number from 1 to 999999999, not '${text}'`)
}

function refuse(reason: string): never {
  return raise('INVALID_ARGUMENTS', { reason, command: 'toolcrib wrap' })
}
