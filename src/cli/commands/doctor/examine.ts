// Runs `toolcrib doctor`: starts each server once, several at the same time, and reports problems.

import { kindOf } from '../../../config/connection-kinds.ts'
import type { LoadedConfig } from '../../../config/load/load.ts'
import type { ServerConfig } from '../../../config/server-config.ts'
import { errorOf } from '../../../core/errors.ts'
import { findSimilarTools } from '../../../core/similarity.ts'
import { messageOf } from '../../../core/text.ts'
import { withTimeout } from '../../../core/with-timeout.ts'
import { compileRules } from '../../../rules/rules.ts'
import { loadValid } from '../../../setup/load-config.ts'
import { loginRequiredIn } from '../../../sources/upstream/auth/login-required.ts'
import type { Manifest } from '../../../sources/upstream/manifest.ts'
import { createRedactor } from '../../../sources/upstream/redactor.ts'
import { secretsOf } from '../../../sources/upstream/secrets.ts'
import { errorLineIn, startFailureIn } from '../../../sources/upstream/start-failure.ts'
import type { UpstreamSource } from '../../../sources/upstream/upstream-source.ts'
import { rememberFailures } from '../../gateway/remember-failures.ts'
import { servedConfig } from '../../gateway/served-config.ts'
import { type CommandSession, openSession } from '../../gateway/session.ts'
import { connectionLine } from '../../output/connection-line.ts'
import { LIST_SERVERS } from '../../output/error-for-people.ts'
import { whyNoServers, withNoServersReason } from '../../output/no-servers.ts'
import { count, oneLine, visible, wrap } from '../../output/text.ts'
import { servingNoteLine, warningLines } from '../../output/warning-lines.ts'
import { failWith, type Work } from '../../output/work.ts'
import { type ServerToolCost, sumListTokens, toolCosts } from '../../strategy/tool-costs.ts'
import { faultsBeforeStart } from './faults-before-start.ts'
import { findingLines, type ServerFinding } from './finding-lines.ts'
import { localVariables, missingValue, notForLocal, sharingOf } from './people.ts'

const UNHEALTHY = 3
const START_WAIT_MS = 120_000
const POLL_MS = 5
/** Some clients give up on a server that takes longer. */
const SLOW_MS = 10_000
const MAX_AT_ONCE = 4
/** Enough lines for a stack trace and the error message above it. */
const MAX_STDERR_LINES = 12
const MAX_TEXT_WARNINGS = 10

export async function examineAll(work: Work, only: string | undefined): Promise<number> {
  const { output } = work
  const loaded = await loadValid(work)
  const enabled = loaded.servers.filter((server) => server.enabled)
  const served = servedConfig(loaded, work.environment.home)
  const { note } = served
  const chosen = only === undefined ? enabled : enabled.filter(({ name }) => name === only)
  if (only !== undefined && chosen.length === 0) {
    const similar = findSimilarTools(
      only,
      enabled.map(({ name }) => name),
    )
    const error = errorOf('SERVER_NOT_FOUND', { server: only, similar, list: LIST_SERVERS })
    return failWith(output, withNoServersReason(error, enabled.length, served))
  }
  const without = enabled.filter((server) => !chosen.includes(server)).map(({ name }) => name)
  await using session = await openSession(work, { loaded, startsServers: true, without })
  const progress = output.progress()
  const findings: ServerFinding[] = []
  const waiting = [...chosen]
  const worker = async (): Promise<void> => {
    for (let server = waiting.shift(); server !== undefined && !work.signal.aborted; server = waiting.shift()) {
      progress.show(`Starting '${oneLine(server.name)}' (${findings.length} of ${chosen.length} done)…`)
      const examineOne = (timeout: AbortSignal) => examine(work, session, server, timeout)
      findings.push(await withTimeout(START_WAIT_MS, work.signal, examineOne))
    }
  }
  await Promise.all(Array.from({ length: MAX_AT_ONCE }, worker))
  progress.clear()
  work.signal.throwIfAborted()
  const isOneOfSeveral = chosen.length === 1 && enabled.length > 1
  const { byServer: costs } = await toolCosts(await session.view(), { isOneOfSeveral })
  const ordered = chosen.flatMap(({ name }) => findings.filter((one) => one.server === name))
  const complete = ordered.map((one): ServerFinding => ({ ...one, ...costsOf(one, costs.get(one.server)) }))
  const failures = complete
    .filter(({ ok }) => !ok)
    .map(({ server, faults }) => {
      const loginCommand = session.source(server)?.info().loginCommand
      return [server, { reason: faults[0]?.what ?? '', loginCommand }] as const
    })
  await rememberFailures(work.environment, session.startable, new Map(failures))
  const unhealthy = complete.filter(({ ok }) => !ok).length
  const enabledTools = complete.reduce((sum, one) => sum + (one.enabledTools ?? 0), 0)
  const listTokens = sumListTokens(complete.map((one) => one.enabledTokens ?? 0))
  const warnings = await session.ruleWarnings(only)
  const faults = configFaults(loaded, only)
  const document = {
    servers: complete,
    healthy: complete.length - unhealthy,
    unhealthy,
    ...(faults === 0 ? {} : { configErrors: faults }),
    enabledTools,
    listTokens,
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(session.notes.length === 0 ? {} : { notes: session.notes }),
    ...(note === undefined ? {} : { note }),
  }
  output.show(document, () => {
    if (output.isQuiet) return complete.filter(({ ok }) => !ok).map(({ server }) => server)
    const paragraphs = (texts: readonly string[]) => texts.flatMap((text) => ['', ...wrap(text, output.width)])
    const notes = session.notes.map((one) => `Note: ${servingNoteLine(one, work.environment.home)}`)
    if (complete.length === 0) return [...wrap(whyNoServers(session), output.width), ...paragraphs(notes)]
    const head = [
      count(complete.length, 'server'),
      ...(unhealthy === 0 ? [] : [`${unhealthy} with a problem`]),
      ...(faults === 0 ? [] : [`${count(faults, 'error')} in the configuration`]),
      ...(unhealthy + faults === 0 ? ['all healthy'] : []),
    ].join(', ')
    const together = `All servers: ${count(enabledTools, 'tool')}, ${count(listTokens, 'token')} in the full list`
    return [
      `Doctor (${head}):`,
      ...complete.flatMap((one) => ['', ...findingLines(one, output, only !== undefined)]),
      ...(complete.length > 1 ? ['', ...wrap(together, output.width)] : []),
      ...warningLines(warnings, output),
      ...paragraphs([...notes, ...(note === undefined ? [] : [note])]),
    ]
  })
  return unhealthy + faults === 0 ? 0 : UNHEALTHY
}

/** The number of rules that cannot be read, plus one if the approved project config has errors. */
function configFaults({ rules, projectRules, project }: LoadedConfig, only: string | undefined): number {
  const broken = [rules, projectRules]
    .flatMap((set) => compileRules(set).rules.rules)
    .filter(({ problems, covers }) => problems.length > 0 && (only === undefined || covers(only)))
  return broken.length + (project?.state === 'invalid' ? 1 : 0)
}

/** The tools and tokens of a server that has listed its tools: all of them, and those that no rule disables. */
function costsOf({ tools }: ServerFinding, cost: ServerToolCost | undefined): Partial<ServerFinding> {
  if (tools === undefined) return {}
  const {
    tools: enabledTools,
    tokens: enabledTokens,
    disabledTokens,
  } = cost ?? { tools: 0, tokens: 0, disabledTokens: 0 }
  return { enabledTools, tokens: enabledTokens + disabledTokens, enabledTokens }
}

async function examine(
  { environment, signal }: Work,
  session: CommandSession,
  server: ServerConfig,
  timeout: AbortSignal,
): Promise<ServerFinding> {
  const { name } = server
  const source = session.source(name)
  const sharing = sharingOf(server, session.loaded)
  const base = {
    server: name,
    transport: server.connection.type,
    ...(sharing === undefined ? {} : { sharing }),
    // Evaluated when a finding is made, because all secrets are known only after the start.
    get target() {
      return targetOf(server, source)
    },
  }
  const env = localVariables(environment.env, session.loaded)
  const missing = missingValue(server, env)
  if (missing !== undefined)
    return { ...base, ok: true, faults: [], warnings: [notForLocal(`a value of '${missing}'`)] }
  const faults = await faultsBeforeStart(server, { ...environment, env })
  if (source === undefined) return { ...base, ok: false, faults }
  const before = performance.now()
  let startMs: number | undefined
  const poll = setInterval(() => {
    if (startMs === undefined && source.state().state === 'connected') startMs = performance.now() - before
  }, POLL_MS)
  try {
    await source.ensure(timeout)
    startMs ??= performance.now() - before
    const listing = performance.now()
    const listed = await source.request('tools/list', {}, timeout)
    const listMs = performance.now() - listing
    const isListed = listed.kind === 'answered'
    // Fetched again, because the cached list may be older than the tools of the server.
    const manifest = isListed ? await source.refresh(timeout) : await source.manifest()
    const problems = [
      ...(manifest?.problems.map(({ reason }) => reason) ?? []),
      ...(await textWarnings(source, manifest, timeout)),
    ]
    const late =
      startMs > SLOW_MS
        ? [`it takes ${Math.round(startMs / 1_000)} s to start; some clients do not wait that long`]
        : []
    return {
      ...base,
      ok: isListed,
      startMs: Math.round(startMs),
      listMs: Math.round(listMs),
      ...(manifest === undefined ? {} : { era: manifest.era, tools: manifest.tools.length }),
      ...protocolOf(source),
      faults: isListed ? [] : [{ what: 'it runs, but does not list its tools', todo: `See its output below.` }],
      ...(isListed ? {} : errorLineOf(source)),
      warnings: [...problems, ...late],
      ...variablesOf(source),
      stderr: tail(source.stderr()),
    }
  } catch (error) {
    if (server.perPrincipal === true && loginRequiredIn(error) !== undefined)
      return { ...base, ok: true, faults: [], warnings: [notForLocal('a login')] }
    const reason =
      timeout.aborted && !signal.aborted ? `it did not start in ${START_WAIT_MS / 1_000} s` : reasonOf(error)
    const known =
      faults.length > 0
        ? faults
        : [{ what: reason, todo: loginTodo(error) ?? kindOf(server.connection).advice.configured }]
    const more = { ...variablesOf(source), ...errorLineOf(source), stderr: tail(source.stderr()) }
    return { ...base, ok: false, faults: known, ...more }
  } finally {
    clearInterval(poll)
  }
}

/** Warnings about the texts of the server and its tools: removed characters, and changes since the first use. */
async function textWarnings(
  source: UpstreamSource,
  manifest: Manifest | undefined,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const tools = (await source.list(signal)).flatMap(({ name, warnings = [], change }) => {
    const added = change?.kind === 'new' ? ['it is new: the server added it after its tools were pinned'] : []
    const refused = change?.isBlocked === true ? ['it is refused until it is approved'] : []
    const all = [...warnings, ...added, ...refused]
    return all.length === 0 ? [] : [`tool '${visible(name)}': ${all.join('; ')}`]
  })
  const more = tools.length - MAX_TEXT_WARNINGS
  const rest = more > 0 ? [`${count(more, 'more tool')} with such warnings; \`toolcrib tools\` shows them`] : []
  return [...(manifest?.warnings ?? []), ...tools.slice(0, MAX_TEXT_WARNINGS), ...rest]
}

/** The names of the variables that a process was started with. */
function variablesOf(source: UpstreamSource): Pick<ServerFinding, 'variables' | 'withheldVariables'> {
  const { values = {}, withheld = [] } = source.environment() ?? {}
  const variables = Object.keys(values).sort()
  if (variables.length === 0) return {}
  return { variables, ...(withheld.length === 0 ? {} : { withheldVariables: withheld }) }
}

/** `connectionLine` masks the fields with secrets. The redactor removes the same values from the rest of the line. */
function targetOf({ connection }: ServerConfig, source: UpstreamSource | undefined): string {
  const secrets = source?.environment()?.secrets ?? secretsOf(connection, connection)
  return createRedactor(secrets).text(connectionLine(connection))
}

function protocolOf(source: UpstreamSource): Pick<ServerFinding, 'protocol'> {
  const protocol = source.protocolVersion()
  return protocol === undefined ? {} : { protocol }
}

function errorLineOf(source: UpstreamSource): Pick<ServerFinding, 'errorLine'> {
  const errorLine = errorLineIn(source.stderr())
  return errorLine === undefined ? {} : { errorLine }
}

/** The reason without the server's output, which is shown separately. */
function reasonOf(error: unknown): string {
  return startFailureIn(error)?.reason ?? messageOf(error)
}

/** The reason already has the command, so this says what the command does. */
function loginTodo(error: unknown): string | undefined {
  const needed = loginRequiredIn(error)
  return needed && `Run \`${needed.command}\`, which opens the browser; over ssh, add --no-browser.`
}

function tail(text: string): readonly string[] {
  return text.trim() === '' ? [] : text.trim().split('\n').slice(-MAX_STDERR_LINES)
}
