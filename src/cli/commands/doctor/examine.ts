// Runs `toolcrib doctor`: starts each server once, several at the same time, and reports problems.

import type { LoadedConfig } from '../../../config/load/load.ts'
import type { ServerConfig } from '../../../config/server-config.ts'
import { errorOf } from '../../../core/errors.ts'
import { findSimilarTools } from '../../../core/similarity.ts'
import { messageOf } from '../../../core/text.ts'
import type { View } from '../../../disclosure/view.ts'
import { compileRules } from '../../../rules/rules.ts'
import { configErrorsIn, loadReadable } from '../../../setup/load-config.ts'
import { openTokenStore } from '../../../setup/user-stores.ts'
import { createTokenBook } from '../../../storage/token-book.ts'
import { clientStates } from '../../config-changes/client-table.ts'
import { explainUnknownServer, otherConfigNotes, otherConfigs } from '../../config-changes/other-configs.ts'
import { rememberFailures } from '../../gateway/failed-starts.ts'
import { ownSourceNames, servedConfig } from '../../gateway/served-config.ts'
import { type CommandSession, openSession } from '../../gateway/session.ts'
import { LIST_SERVERS } from '../../output/error-for-people.ts'
import {
  configErrorLines,
  START_REFUSED,
  servingNoteLine,
  warningLines,
  whyNoServers,
  withNoServersReason,
} from '../../output/notes.ts'
import type { Output } from '../../output/output.ts'
import { count, oneLine, wrap } from '../../output/text.ts'
import { failWith, type Work } from '../../output/work.ts'
import { strategyErrors } from '../../strategy/choose-strategy.ts'
import { type ServerToolCost, sumListTokens, toolCosts } from '../../strategy/tool-costs.ts'
import { examineServer } from './examine-server.ts'
import { findingLines, type ServerFinding } from './finding-lines.ts'

/** The exit code if a server or the configuration has a problem. */
const UNHEALTHY = 3
const MAX_AT_ONCE = 4

/** `only` is the name of the one server or source to examine. */
export async function examineAll(work: Work, only: string | undefined): Promise<number> {
  const loaded = await loadReadable(work)
  const enabled = loaded.servers.filter((server) => server.enabled)
  const chosen = only === undefined ? enabled : enabled.filter(({ name }) => name === only)
  const allOwn = ownSourceNames(loaded)
  const own = only === undefined ? allOwn : allOwn.filter((name) => name === only)
  const total = chosen.length + own.length
  if (only !== undefined && total === 0) return failUnknown(work, only, loaded)
  const without = enabled.filter((server) => !chosen.includes(server)).map(({ name }) => name)
  await using session = await openSession(work, { loaded, startsServers: true, without })
  const hasSeveralUsers = await canHaveSeveralUsers(work, loaded)
  const ofServers = await examineEach(work, session, chosen)
  const view = await session.view()
  const examined = [...ofServers, ...own.map((name) => examineOwnSource(name, view, loaded))]
  const isOneOfSeveral = total === 1 && enabled.length + allOwn.length > 1
  const { byServer: costs } = await toolCosts(view, { isOneOfSeveral })
  const findings = examined.map((one): ServerFinding => {
    const isPerPrincipal = chosen.some(({ name, perPrincipal }) => name === one.server && perPrincipal === true)
    const sharing = isPerPrincipal ? 'perPrincipal' : 'shared'
    return { ...one, ...(hasSeveralUsers ? { sharing } : {}), ...costsOf(one, costs.get(one.server)) }
  })
  await rememberUnhealthy(work, session, findings)
  return showFindings(work, session, findings, only)
}

async function failUnknown(work: Work, server: string, loaded: LoadedConfig): Promise<number> {
  const { output, environment } = work
  const names = [...loaded.servers.filter(({ enabled }) => enabled).map(({ name }) => name), ...ownSourceNames(loaded)]
  const similar = findSimilarTools(server, names)
  const error = errorOf('SERVER_NOT_FOUND', { server, similar, list: LIST_SERVERS })
  const explained = withNoServersReason(error, names.length, servedConfig(loaded, environment.home))
  return failWith(output, await explainUnknownServer(work, explained, server))
}

/** Examines up to MAX_AT_ONCE servers at the same time. The findings are in the order of the servers. */
async function examineEach(
  work: Work,
  session: CommandSession,
  servers: readonly ServerConfig[],
): Promise<readonly ServerFinding[]> {
  const progress = work.output.progress()
  const findings: ServerFinding[] = []
  const waiting = [...servers]
  const worker = async (): Promise<void> => {
    for (let server = waiting.shift(); server !== undefined && !work.signal.aborted; server = waiting.shift()) {
      progress.show(`Starting '${oneLine(server.name)}' (${findings.length} of ${servers.length} done)…`)
      findings.push(await examineServer(work, session, server))
    }
  }
  await Promise.all(Array.from({ length: MAX_AT_ONCE }, worker))
  progress.clear()
  work.signal.throwIfAborted()
  return servers.flatMap(({ name }) => findings.filter((one) => one.server === name))
}

/** The finding about a source that the config defines in code. Such a source is not started; `view` has listed its tools. */
function examineOwnSource(name: string, { sources, known }: View, { origin }: LoadedConfig): ServerFinding {
  const { state, reason, remedy } = sources.find(({ id }) => id === name) ?? { state: 'failed' as const }
  const file = origin.kind === 'defaults' ? 'the config' : origin.file
  const ok = state !== 'failed'
  const todo = remedy ?? `Correct the source '${name}' in plugins.sources of ${file}.`
  return {
    server: name,
    transport: 'plugin',
    target: `plugins.sources in ${file}`,
    ok,
    tools: known.tools.filter(({ sourceId }) => sourceId === name).length,
    faults: ok ? [] : [{ what: reason ?? 'its tools cannot be listed', todo }],
  }
}

/** Stores the failed starts, so that other commands show them. */
async function rememberUnhealthy(
  { environment }: Work,
  session: CommandSession,
  findings: readonly ServerFinding[],
): Promise<void> {
  const failures = findings
    .filter(({ ok }) => !ok)
    .map(({ server, faults }) => {
      const loginCommand = session.source(server)?.info().loginCommand
      return [server, { reason: faults[0]?.what ?? '', loginCommand }] as const
    })
  await rememberFailures(environment, session.startable, new Map(failures))
}

async function showFindings(
  work: Work,
  session: CommandSession,
  examined: readonly ServerFinding[],
  only: string | undefined,
): Promise<number> {
  const { output, environment } = work
  const findings = examined.map((one) => withConfigKept(one, output))
  const unhealthy = findings.filter(({ ok }) => !ok).length
  const enabledTools = findings.reduce((sum, one) => sum + (one.enabledTools ?? 0), 0)
  const listTokens = sumListTokens(findings.map((one) => one.enabledTokens ?? 0))
  const { loaded } = session
  const warnings = [...(only === undefined ? session.sourceWarnings : []), ...(await session.ruleWarnings(only))]
  const settingErrors = configErrorsIn(loaded).map(({ file, path, message }) => ({ file, path, message }))
  const strategyFaults = strategyErrors(loaded, environment.env)
  const errors = [...settingErrors, ...strategyFaults]
  const configErrors = errors.length + countRuleErrors(loaded, only)
  const others = only === undefined ? await otherConfigs(work, await clientStates(work, {}), loaded.origin) : []
  const { servingNotes, projectNote } = session
  const document = {
    servers: findings,
    healthy: findings.length - unhealthy,
    unhealthy,
    ...(configErrors === 0 ? {} : { configErrors }),
    ...(errors.length === 0 ? {} : { errors }),
    enabledTools,
    listTokens,
    ...(warnings.length === 0 ? {} : { warnings: warnings.map(({ message }) => message) }),
    ...(servingNotes.length === 0 ? {} : { notes: servingNotes }),
    ...(projectNote === undefined ? {} : { note: projectNote }),
    ...(others.length === 0 ? {} : { otherConfigs: others }),
  }
  output.show(document, () => {
    if (output.isQuiet) return findings.filter(({ ok }) => !ok).map(({ server }) => server)
    const paragraphs = (texts: readonly string[]) => texts.flatMap((text) => ['', ...wrap(text, output.width)])
    const notes = servingNotes.map((one) => `Note: ${servingNoteLine(one, environment.home)}`)
    const about = [...(projectNote === undefined ? [] : [projectNote]), ...otherConfigNotes(others)]
    const problemLines = [
      ...configErrorLines(settingErrors, environment.home, output),
      ...configErrorLines(strategyFaults, environment.home, output, START_REFUSED),
      ...warningLines(warnings, output),
    ]
    if (findings.length === 0)
      return [
        ...output.wrap(errors.length > 0 ? 'No server can be started.' : output.keepConfig(whyNoServers(session))),
        ...problemLines,
        ...paragraphs([...notes, ...otherConfigNotes(others)]),
      ]
    const head = [
      count(findings.length, 'server'),
      ...(unhealthy === 0 ? [] : [`${unhealthy} with a problem`]),
      ...(configErrors === 0 ? [] : [`${count(configErrors, 'error')} in the configuration`]),
      ...(unhealthy + configErrors === 0 ? ['all healthy'] : []),
    ].join(', ')
    const together = `All servers: ${count(enabledTools, 'tool')}, ${count(listTokens, 'token')} in the full list`
    return [
      `Doctor (${head}):`,
      ...findings.flatMap((one) => ['', ...findingLines(one, output, only !== undefined)]),
      ...(findings.length > 1 ? ['', ...wrap(together, output.width)] : []),
      ...problemLines,
      ...paragraphs([...notes, ...about]),
    ]
  })
  return unhealthy + configErrors === 0 ? 0 : UNHEALTHY
}

/** Adds --config, if it was given, to each command that the texts of the finding suggest. */
function withConfigKept(finding: ServerFinding, { keepConfig }: Pick<Output, 'keepConfig'>): ServerFinding {
  const { faults, warnings } = finding
  return {
    ...finding,
    faults: faults.map(({ what, todo }) => ({ what: keepConfig(what), todo: keepConfig(todo) })),
    ...(warnings === undefined ? {} : { warnings: warnings.map(keepConfig) }),
  }
}

/**
 * Counts the rules that cannot be compiled. With `only`, counts only the rules for that server. Adds one if the approved
 * project config has errors.
 */
function countRuleErrors({ rules, projectRules, project }: LoadedConfig, only: string | undefined): number {
  const unreadable = [rules, projectRules]
    .flatMap((set) => compileRules(set).rules)
    .filter(({ problems, covers }) => problems.length > 0 && (only === undefined || covers(only)))
  return unreadable.length + (project?.state === 'invalid' ? 1 : 0)
}

/** Returns the tokens of all listed tools of a server, and the number and tokens of the enabled tools. */
function costsOf({ tools }: ServerFinding, cost: ServerToolCost | undefined): Partial<ServerFinding> {
  if (tools === undefined) return {}
  const { tools: enabledTools = 0, tokens: enabledTokens = 0, disabledTokens = 0 } = cost ?? {}
  return { enabledTools, tokens: enabledTokens + disabledTokens, enabledTokens }
}

/**
 * Whether several people can use the gateway: it has tokens for them or a company login, or the config has people or a
 * server with perPrincipal.
 */
async function canHaveSeveralUsers(work: Work, loaded: LoadedConfig): Promise<boolean> {
  const { http, people } = loaded.config
  return (
    Object.keys(http.tokens).length > 0 ||
    http.oauth !== undefined ||
    Object.keys(people).length > 0 ||
    loaded.servers.some(({ perPrincipal }) => perPrincipal === true) ||
    hasStoredTokens(work, loaded)
  )
}

/** Whether the store has tokens of `toolcrib token add`. False if it cannot be read: the check of servers goes on. */
async function hasStoredTokens({ environment, output }: Work, loaded: LoadedConfig): Promise<boolean> {
  try {
    await using store = openTokenStore(environment, loaded, ({ message }) => output.detail(message))
    return (await createTokenBook(store).list()).length > 0
  } catch (error) {
    output.detail(`The tokens cannot be read: ${messageOf(error)}`)
    return false
  }
}
