// Starts one server for `toolcrib doctor`, and reports its times, tools, warnings and problems.

import { kindOf, resolveConnection } from '../../../config/connection-kinds.ts'
import { variablesFor } from '../../../config/people.ts'
import { isPersonal, type Variables } from '../../../config/references.ts'
import type { ServerConfig } from '../../../config/server-config.ts'
import { defined } from '../../../core/defined.ts'
import { messageOf, shellWord } from '../../../core/text.ts'
import type { ToolChange } from '../../../core/tool.ts'
import { withTimeout } from '../../../core/waiting.ts'
import { loginRequiredIn } from '../../../sources/upstream/auth/login-errors.ts'
import { LOCAL_PERSON } from '../../../sources/upstream/auth/person.ts'
import type { Manifest } from '../../../sources/upstream/manifest.ts'
import { createRedactor } from '../../../sources/upstream/redactor.ts'
import { secretsOf } from '../../../sources/upstream/secrets.ts'
import { errorLineIn, startFailureIn } from '../../../sources/upstream/start-failure.ts'
import type { UpstreamSource } from '../../../sources/upstream/upstream-source.ts'
import { type Fault, faultsBeforeStart } from '../../checks/faults-before-start.ts'
import { type CommandSession, startWaitMs } from '../../gateway/session.ts'
import { connectionLine } from '../../output/config-lines.ts'
import { ADDED_AFTER_PINS } from '../../output/notes.ts'
import { count, visible } from '../../output/text.ts'
import type { Work } from '../../output/work.ts'
import { notListedText, type ServerFinding, slowStartWarnings } from './finding-lines.ts'

/** The state is read at this interval to measure the time of the start. */
const POLL_MS = 5
/** Enough lines for a stack trace and the error message above it. */
const MAX_STDERR_LINES = 12
const MAX_TEXT_WARNINGS = 10

/** Stops waiting for the server after `startWaitMs`. */
export function examineServer(work: Work, session: CommandSession, server: ServerConfig): Promise<ServerFinding> {
  const waitMs = startWaitMs(session.loaded)
  return withTimeout(waitMs, work.signal, (timeout) => examine(work, session, server, { timeout, waitMs }))
}

async function examine(
  { environment, signal }: Work,
  session: CommandSession,
  server: ServerConfig,
  { timeout, waitMs }: { readonly timeout: AbortSignal; readonly waitMs: number },
): Promise<ServerFinding> {
  const source = session.source(server.name)
  const base = {
    server: server.name,
    transport: server.connection.type,
    // A getter, because all secrets are known only after the start.
    get target() {
      return targetOf(server, source)
    },
  }
  // The variables with which the server starts for the user who runs this command.
  const env = variablesFor(LOCAL_PERSON, { variables: environment.env, people: session.loaded.config.people })
  const missing = missingPersonalVariable(server, env)
  if (missing !== undefined)
    return { ...base, ok: true, faults: [], warnings: [notStartedWithout(`a value for '${missing}'`)] }
  const faults = await faultsBeforeStart(server, { ...environment, env })
  if (source === undefined) return { ...base, ok: false, faults }
  try {
    const started = await startAndList(source, timeout)
    return { ...base, ...started }
  } catch (error) {
    if (server.perPrincipal === true && loginRequiredIn(error) !== undefined)
      return { ...base, ok: true, faults: [], warnings: [notStartedWithout('a login')] }
    const isLate = timeout.aborted && !signal.aborted
    const reason = isLate ? `it did not start and list its tools in ${waitMs / 1_000} s` : reasonOf(error)
    const startFault: Fault = { what: reason, todo: loginTodo(error) ?? kindOf(server.connection).advice.configured }
    return {
      ...base,
      ok: false,
      // A fault that was found before the start explains why the start failed.
      faults: faults.length > 0 ? faults : [startFault],
      ...variablesOf(source),
      ...defined({ errorLine: errorLineIn(source.stderr()) }),
      stderr: lastLines(source.stderr()),
    }
  }
}

type StartFinding = Omit<ServerFinding, 'server' | 'transport' | 'target'>

/** Rejects if the server does not start, if it needs a login to list its tools, or if `signal` aborts. */
async function startAndList(source: UpstreamSource, signal: AbortSignal): Promise<StartFinding> {
  const startMs = await measureStart(source, signal)
  const listedFrom = performance.now()
  const listed = await source.request('tools/list', {}, signal)
  signal.throwIfAborted()
  if (listed.kind === 'login') throw listed.needed
  const listMs = performance.now() - listedFrom
  const isListed = listed.kind === 'answered'
  // Fetched again, because the cached list may be older than the tools of the server.
  const manifest = isListed ? await source.refresh(signal) : await source.manifest()
  const warnings = [
    ...(manifest?.problems.map(({ reason }) => reason) ?? []),
    ...(await textWarnings(source, manifest, signal)),
    ...slowStartWarnings(startMs),
  ]
  const stderr = lastLines(source.stderr())
  const todo = stderr.length === 0 ? 'Ask the author of the server.' : 'Read its output below.'
  return {
    ok: isListed,
    startMs: Math.round(startMs),
    listMs: Math.round(listMs),
    ...defined({
      era: manifest?.era,
      tools: manifest?.tools.length,
      protocol: source.protocolVersion(),
      errorLine: isListed ? undefined : errorLineIn(source.stderr()),
    }),
    faults: isListed ? [] : [{ what: notListedText(listed), todo }],
    warnings,
    ...variablesOf(source),
    stderr,
  }
}

/** The time until the server is connected. `ensure` may resolve later: without a cached list it also lists tools. */
async function measureStart(source: UpstreamSource, signal: AbortSignal): Promise<number> {
  const startedAt = performance.now()
  let startMs: number | undefined
  const poll = setInterval(() => {
    if (startMs === undefined && source.state().state === 'connected') startMs = performance.now() - startedAt
  }, POLL_MS)
  try {
    await source.ensure(signal)
    return startMs ?? performance.now() - startedAt
  } finally {
    clearInterval(poll)
  }
}

/** Warnings about the texts of the server and its tools: removed characters, and changes since the tool was pinned. */
async function textWarnings(
  source: UpstreamSource,
  manifest: Manifest | undefined,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const tools = (await source.list(signal)).flatMap(({ name, warnings = [], change }) => {
    const added = change?.kind === 'new' ? [ADDED_AFTER_PINS] : []
    const refused = change?.isBlocked === true ? [refusalOf(change.kind, `${source.id}:${name}`)] : []
    const all = [...warnings, ...added, ...refused]
    return all.length === 0 ? [] : [`tool '${visible(name)}': ${all.join('; ')}`]
  })
  const more = tools.length - MAX_TEXT_WARNINGS
  const rest =
    more > 0 ? [`${count(more, 'more tool')} with warnings; \`toolcrib tools ${shellWord(source.id)}\` shows them`] : []
  return [...(manifest?.warnings ?? []), ...tools.slice(0, MAX_TEXT_WARNINGS), ...rest]
}

function refusalOf(kind: ToolChange['kind'], tool: string): string {
  return kind === 'unknown'
    ? 'it is refused, because the pins of the server cannot be read'
    : `it is refused until you run \`toolcrib pins approve ${shellWord(tool)}\``
}

/** The names of the variables that a process was started with, and of those that were withheld from it. */
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

/** The reason without the server's output, which is shown separately. */
function reasonOf(error: unknown): string {
  return startFailureIn(error)?.reason ?? messageOf(error)
}

/** The advice for a server that needs a login. Undefined for other errors. */
function loginTodo(error: unknown): string | undefined {
  const needed = loginRequiredIn(error)
  return needed && `Run \`${needed.command}\`, which opens the browser; over ssh, add --no-browser.`
}

function lastLines(text: string): readonly string[] {
  return text.trim() === '' ? [] : text.trim().split('\n').slice(-MAX_STDERR_LINES)
}

/**
 * The first personal variable, such as `person.TOKEN`, that the server refers to and for which the user of this command
 * has no value. The server starts only for a person who has a value.
 */
function missingPersonalVariable({ connection }: ServerConfig, variables: Variables): string | undefined {
  const resolved = resolveConnection(connection, variables)
  return resolved.ok ? undefined : resolved.missing.find(isPersonal)
}

/** The warning for a server that is not started, because the user of this command does not have `what`. */
function notStartedWithout(what: string): string {
  return `not started: it needs ${what} of each person, and you have none. It starts at the first call of a person who has ${what}`
}
