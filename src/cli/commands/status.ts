// toolcrib status: shows the config file, the servers, the tokens of their tools and the next command to type.

import type { Command } from 'commander'
import type { LoadedConfig } from '../../config/load/load.ts'
import { groupBy } from '../../core/collections.ts'
import { defined } from '../../core/defined.ts'
import { isRecord } from '../../core/is-record.ts'
import { shellWord } from '../../core/text.ts'
import type { View } from '../../disclosure/view.ts'
import type { Environment } from '../../setup/environment.ts'
import type { GatewayAnswer } from '../gateway/ask-gateways.ts'
import type { CommandSession } from '../gateway/session.ts'
import { configErrorLines, START_REFUSED, warningLines } from '../output/notes.ts'
import { type Output, withConfig } from '../output/output.ts'
import { count, cut, number, oneLine, pairs, wrap } from '../output/text.ts'
import { type CommonFlags, commandOf, run, type Work } from '../output/work.ts'

/** The columns of the longest label and of the gap after it. */
const LABEL_WIDTH = 11
const MAX_REASON_WIDTH = 140
/** The exit code for a configuration that is not valid. */
const INVALID = 2

export function createCommand(environment: Environment): Command {
  return commandOf(
    'status',
    'Show the config file, the servers, the tokens of their tool list without and with the gateway, and the next command to type.',
    'status',
  ).action((flags: CommonFlags) => run(environment, flags, status))
}

async function status(work: Work): Promise<number> {
  const { output, environment } = work
  const { openSession } = await import('../gateway/session.ts')
  const { ownSourceNames } = await import('../gateway/served-config.ts')
  const { configErrorsIn, loadReadable } = await import('../../setup/load-config.ts')
  await using session = await openSession(work, { loaded: await loadReadable(work) })
  const { loaded } = session
  const progress = output.progress()
  progress.show('Counting tokens…')
  const view = await session.view()
  const { strategyErrors } = await import('../strategy/choose-strategy.ts')
  const strategyFaults = strategyErrors(loaded, environment.env)
  const tokens = await tokensOf(session, view, environment, strategyFaults.length === 0)
  progress.clear()
  const { failed, neverStarted } = await serversNotReady(session, view, work)
  const { askGateways } = await import('../gateway/ask-gateways.ts')
  const running = await askGateways(environment.stateDir, 'status', work.signal)
  const { inspectorPage } = await import('../gateway/shown-address.ts')
  const addresses = running.flatMap(urlIn).map((url) => `${inspectorPage(url)}mcp`)
  const { clientStates, unreadableText } = await import('../config-changes/client-table.ts')
  const clients = await clientStates(work, {})
  const withGateway = clients.filter(({ isInstalled }) => isInstalled).map(({ client }) => client)
  const unreadable = clients.filter(({ state }) => state === 'unreadable')
  const clientTexts = [
    ...(withGateway.length === 0 ? [] : [`${withGateway.join(', ')} (with the gateway)`]),
    ...unreadable.map((one) => `${one.client}: ${output.path(one.file)} ${unreadableText(one.position)}`),
  ]
  const { otherConfigNotes, otherConfigs } = await import('../config-changes/other-configs.ts')
  const others = await otherConfigs(work, clients, loaded.origin)
  const warnings = [...session.sourceWarnings, ...(await session.ruleWarnings())]
  const settingErrors = configErrorsIn(loaded).map(({ file, path, message }) => ({ file, path, message }))
  const errors = [...settingErrors, ...strategyFaults]
  const ownSources = ownSourceNames(loaded).length
  const counts = [...countBySource(loaded), ...(ownSources === 0 ? [] : [['plugins', ownSources] as const])]
  const sources = counts.map(([source, servers]) => ({ source, servers }))
  const { projectNote } = session
  const step = await nextStep(session, errors.length, failed, neverStarted.length, addresses)
  const { why, isForRunning = false } = step
  const command = isForRunning ? step.command : withConfig(step.command, work.flags.config, environment.home)
  const next = { command, why }
  const document = {
    version: environment.version,
    config: loaded.origin.kind === 'defaults' ? null : loaded.origin.file,
    sources,
    servers: session.servers.length,
    unknownServers: neverStarted.length,
    failedServers: failed,
    tools: view.visible.tools.length,
    tokens,
    gateways: running.map(({ pid }) => pid),
    addresses,
    sharedBy: running.flatMap(clientsIn),
    clients: withGateway,
    ...defined({
      unreadableClients: unreadable.length === 0 ? undefined : unreadable.map(({ client, file }) => ({ client, file })),
      errors: errors.length === 0 ? undefined : errors,
      warnings: warnings.length === 0 ? undefined : warnings.map(({ message }) => message),
      note: projectNote,
      otherConfigs: others.length === 0 ? undefined : others,
    }),
    project: loaded.project ?? null,
    next,
  }
  output.show(document, () => {
    const { paint } = output
    const file =
      document.config === null ? 'No config file: using the servers of your MCP clients' : output.path(document.config)
    const notStarted = neverStarted.length === 0 ? '' : `, and ${count(neverStarted.length, 'server')} not started yet`
    const rows: readonly (readonly [string, string])[] = [
      ['Config', file],
      ...projectRows(loaded.project, output),
      [
        'Servers',
        session.isDiscoveryOff ? 'none: discovery is disabled' : serversLine(session.servers.length, sources),
      ],
      ['Tools', `${number(view.visible.tools.length)}${notStarted}`],
      ...failed.map((one) => ['Not ready', notReadyText(one, output.width)] as const),
      ['Tokens', tokens.without === 0 ? 'none yet' : tokensLine(tokens)],
      ['Clients', clientTexts.length === 0 ? 'none has the gateway' : clientTexts.join('; ')],
      ['Running', runningText(running, addresses)],
    ]
    return [
      paint.bold(`Toolcrib ${environment.version}`),
      '',
      ...pairs(
        rows.map(([name, value]) => [paint.dim(name), value]),
        output.width,
      ),
      ...configErrorLines(settingErrors, environment.home, output),
      ...configErrorLines(strategyFaults, environment.home, output, START_REFUSED),
      ...warningLines(warnings, output),
      '',
      ...otherConfigNotes(others).flatMap((note) => [...wrap(note, output.width), '']),
      ...(projectNote === undefined ? [] : [...wrap(projectNote, output.width), '']),
      `Next: ${paint.bold(next.command)}`,
      ...wrap(next.why, output.width, '      '),
      ...(output.isQuiet ? [] : ['', paint.dim('All commands: toolcrib --help')]),
    ]
  })
  return errors.length === 0 ? 0 : INVALID
}

/** The tokens of the list of all tools, and of the list of the strategy in force (null for an unusable strategy). */
async function tokensOf({ loaded }: CommandSession, view: View, environment: Environment, isStrategyUsable: boolean) {
  const { fullListTokens } = await import('../strategy/tool-costs.ts')
  if (!isStrategyUsable) return { without: await fullListTokens(view), with: null }
  const { chooseStrategy } = await import('../strategy/choose-strategy.ts')
  const { listChosen } = await import('../strategy/explain-strategy.ts')
  const { countListing } = await import('../../disclosure/strategies/listing/tool-cost.ts')
  const chosen = chooseStrategy(loaded, {}, environment.env)
  const listed = await listChosen(chosen, view, environment, loaded)
  return { without: await fullListTokens(view), with: await countListing(listed) }
}

/** The clients of a shared gateway. Empty for another gateway, which does not name its client. */
function clientsIn({ reply }: GatewayAnswer): readonly string[] {
  return Array.isArray(reply.clients) ? reply.clients.map(String) : []
}

/** The address of a gateway over HTTP. Empty for another gateway. */
function urlIn({ reply }: GatewayAnswer): readonly string[] {
  return isRecord(reply.http) && typeof reply.http.url === 'string' ? [reply.http.url] : []
}

function runningText(running: readonly GatewayAnswer[], addresses: readonly string[]): string {
  if (running.length === 0) return 'no gateway'
  const clients = running.flatMap(clientsIn).map(oneLine)
  const shared = clients.length === 0 ? '' : `, shared by ${clients.join(', ')}`
  const at = addresses.length === 0 ? '' : `, at ${addresses.map(oneLine).join(' and ')}`
  return `${count(running.length, 'gateway')}${at}${shared}`
}

interface FailedServer {
  readonly server: string
  readonly reason: string
  /** The command with which the user logs in. Absent if the server needs no login. */
  readonly loginCommand?: string
}

/** A row for the project's config. Empty if the config is not used: a note below the table then gives the reason. */
function projectRows(project: LoadedConfig['project'], output: Output): readonly (readonly [string, string])[] {
  if (project?.state !== 'used') return []
  return [['Project', `${output.path(project.file)} (approved, ${count(project.servers, 'server')})`]]
}

/** `failed` are the servers that would not start now. `neverStarted` are the names of others with unknown tools. */
async function serversNotReady(session: CommandSession, view: View, { environment, output }: Work) {
  const unknown = await session.unknown()
  const { unusableServers } = await import('../gateway/unreachable.ts')
  const unusable = unusableServers(environment, session.startable, view.sources)
  return {
    failed: [...unusable].map(
      ([server, { reason = '', loginCommand }]): FailedServer =>
        defined({ server, reason: output.keepConfig(reason), loginCommand }),
    ),
    neverStarted: unknown.filter((server) => !unusable.has(server)),
  }
}

/** Fits on one line, because the reason of a failed start may contain the output of the server. */
function notReadyText({ server, reason }: FailedServer, width: number): string {
  return cut(`${oneLine(server)}: ${oneLine(reason)}`, Math.min(width, MAX_REASON_WIDTH) - LABEL_WIDTH)
}

/** The number of enabled servers from each source. */
function countBySource({ servers }: LoadedConfig): readonly (readonly [source: string, servers: number])[] {
  const enabled = servers.filter((server) => server.enabled)
  return [...groupBy(enabled, ({ origin }) => origin.source)].map(([source, own]) => [source, own.length])
}

/** For example `5 (3 from cursor, 2 from config)`. */
function serversLine(total: number, sources: readonly { readonly source: string; readonly servers: number }[]): string {
  const from = sources.map(({ source, servers }) => `${number(servers)} from ${source}`).join(', ')
  return `${number(total)}${from === '' ? '' : ` (${from})`}`
}

interface NextStep {
  readonly command: string
  readonly why: string
  /** Set if the command is about a running gateway, so that `--config` is not added to it. */
  readonly isForRunning?: boolean
}

async function nextStep(
  session: CommandSession,
  configErrors: number,
  failed: readonly FailedServer[],
  neverStarted: number,
  addresses: readonly string[],
): Promise<NextStep> {
  const { servers, loaded, unreadNote } = session
  if (configErrors > 0) return { command: 'toolcrib config validate', why: 'lists every error in the config' }
  if (servers.length === 0 && unreadNote !== undefined)
    return { command: 'toolcrib config validate', why: 'lists the errors in the files that are not used' }
  if (servers.length === 0) return firstStep(session, addresses)
  const [broken] = await unreadableRules(loaded)
  if (broken !== undefined) return { command: 'toolcrib config validate', why: `shows how to correct it: ${broken}` }
  const [first, ...others] = failed
  if (first?.loginCommand !== undefined && others.every(({ loginCommand }) => loginCommand !== undefined)) {
    const more =
      others.length === 0 ? '' : `; ${count(others.length, 'other server needs', 'other servers need')} a login too`
    const why = `logs in to '${oneLine(first.server)}' with the browser${more}`
    return { command: oneLine(first.loginCommand), why }
  }
  if (first !== undefined && others.length === 0)
    return { command: `toolcrib doctor ${shellWord(oneLine(first.server))}`, why: 'shows how to fix it' }
  if (first !== undefined)
    return { command: 'toolcrib doctor', why: 'shows why these servers are not ready, and how to fix it' }
  if (neverStarted > 0) return { command: 'toolcrib doctor', why: 'starts each server once and lists its tools' }
  if (loaded.origin.kind !== 'defaults')
    return { command: 'toolcrib search "what you need"', why: 'finds a tool; `toolcrib execute` runs it' }
  const why = 'puts the gateway into a client in place of its servers'
  return { command: `toolcrib install ${await busiestClient(loaded)}`, why }
}

async function unreadableRules({ rules, projectRules }: LoadedConfig): Promise<readonly string[]> {
  const { findRuleProblems } = await import('../../rules/rule-findings.ts')
  return [rules, projectRules].flatMap((set) => findRuleProblems(set, '')).map(({ message }) => message)
}

/** The next step if no server is in use. `addresses` are those of running gateways. */
async function firstStep(
  { loaded, switchedOff }: Pick<CommandSession, 'loaded' | 'switchedOff'>,
  addresses: readonly string[],
): Promise<NextStep> {
  if (!loaded.config.discovery.enabled) {
    const why = 'shows the file that disables discovery; no server is used while discovery.enabled is false'
    return { command: 'toolcrib config show', why }
  }
  const { isForTrust } = await import('../../config/load/project-note.ts')
  if (isForTrust(loaded)) {
    const why = 'shows what the files of this folder would run, and asks you to approve them'
    return { command: 'toolcrib trust', why }
  }
  const [disabled] = switchedOff
  if (disabled !== undefined) {
    const why = 'all configured servers are disabled; this enables one'
    return { command: `toolcrib enable ${shellWord(oneLine(disabled))}`, why }
  }
  // The running gateway serves the examples, or has another config.
  if (addresses.length > 0)
    return {
      command: 'toolcrib inspector',
      isForRunning: true,
      why: 'no server is configured yet; this shows the servers of the running gateway',
    }
  return loaded.project?.fault === undefined
    ? { command: 'toolcrib serve --http --demo', why: 'no server is configured yet; this serves the bundled examples' }
    : { command: 'toolcrib config validate', why: 'lists the errors in the config of this folder' }
}

/** The client with the most servers among those that `install` can change. Default: `claude-code`. */
async function busiestClient(loaded: LoadedConfig): Promise<string> {
  const { importers } = await import('../../config/imports/builtins.ts')
  const writable = countBySource(loaded).filter(([source]) => importers.get(source)?.writer !== undefined)
  return writable.toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? 'claude-code'
}

interface Tokens {
  readonly without: number
  readonly with: number | null
}

function tokensLine({ without, with: withGateway }: Tokens): string {
  if (withGateway === null) return `${number(without)} without Toolcrib`
  const saved = Math.round((1 - withGateway / without) * 100)
  return `${number(without)} without Toolcrib, ${number(withGateway)} with it${saved > 0 ? ` (${saved}% less)` : ''}`
}
