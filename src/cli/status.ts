// toolcrib on a terminal, without a command: how things are, and what to type next.

import type { Command } from 'commander'
import type { LoadedConfig } from '../config/load.ts'
import type { View } from '../disclosure/view.ts'
import type { Environment } from './environment.ts'
import { remarkLines } from './output/remark-lines.ts'
import { pairs } from './output/table.ts'
import { count, number, oneLine, shortPath, wrap } from './output/text.ts'
import type { Session } from './session.ts'
import { type CommonFlags, commandOf, run, type Work } from './work.ts'

export function statusCommand(environment: Environment): Command {
  return commandOf('status', 'Show what is configured, what it saves, and what to do next.', 'status').action(
    (flags: CommonFlags) => run(environment, flags, status),
  )
}

async function status(work: Work): Promise<number> {
  const { output, environment } = work
  const { openSession } = await import('./session.ts')
  await using session = await openSession(work)
  const { loaded } = session
  const progress = output.progress()
  progress.say('Counting tokens…')
  const view = await session.view()
  const tokens = await tokensOf(session, view, environment)
  progress.clear()
  const { failed, unasked } = await notThere(session, environment)
  const { askGateways } = await import('./control/ask-gateways.ts')
  const running = await askGateways(environment.stateDir, 'status', work.signal)
  const remarks = await session.remarks()
  const sources = [...bySource(loaded)].map(([source, servers]) => ({ source, servers }))
  const { note } = session
  const next = await nextStep(session, failed, unasked.length)
  const document = {
    version: environment.version,
    config: loaded.origin.kind === 'defaults' ? null : loaded.origin.file,
    sources,
    servers: session.servers.length,
    unknownServers: unasked.length,
    failedServers: failed,
    tools: view.visible.tools.length,
    tokens,
    gateways: running.map(({ pid }) => pid),
    ...(remarks.length === 0 ? {} : { warnings: remarks }),
    project: loaded.project ?? null,
    ...(note === undefined ? {} : { note }),
    next,
  }
  output.show(document, () => {
    const { paint } = output
    const file =
      document.config === null
        ? 'none, so what the clients on this machine have'
        : oneLine(shortPath(document.config, environment.home))
    const rows: readonly (readonly [string, string])[] = [
      ['Config', file],
      ...projectRows(loaded.project, environment.home),
      ['Servers', session.isOff ? 'none: discovery is switched off' : serversLine(session.servers.length, sources)],
      [
        'Tools',
        `${number(view.visible.tools.length)}${unasked.length === 0 ? '' : `, and ${count(unasked.length, 'server')} not asked yet`}`,
      ],
      ...(failed.length === 0 ? [] : [['Failed', failed.map(({ server }) => oneLine(server)).join(', ')] as const]),
      ['Tokens', tokens.without === 0 ? 'none yet' : tokensLine(tokens)],
      ['Running', running.length === 0 ? 'no gateway' : count(running.length, 'gateway')],
    ]
    return [
      paint.bold(`Toolcrib ${environment.version}`),
      '',
      ...pairs(
        rows.map(([name, value]) => [paint.dim(name), value]),
        output.width,
      ),
      ...remarkLines(remarks, output),
      '',
      ...(note === undefined ? [] : [...wrap(note, output.width), '']),
      `Next: ${paint.bold(next.command)}`,
      ...wrap(next.why, output.width, '      '),
      ...(output.isQuiet ? [] : ['', paint.dim('All commands: toolcrib --help')]),
    ]
  })
  return 0
}

/** Of the list of tools: of all of them, and of those that the strategy in force shows. */
async function tokensOf({ loaded }: Session, view: View, environment: Environment) {
  const { fullListTokens } = await import('./full-list-tokens.ts')
  const { chooseStrategy } = await import('./choose-strategy.ts')
  const { chosenTokens } = await import('./explain-strategy.ts')
  const chosen = chooseStrategy(loaded, {}, environment.env)
  return { without: await fullListTokens(view), with: await chosenTokens(chosen, view, environment) }
}

interface FailedServer {
  readonly server: string
  readonly reason: string
}

/** A note below says why one is not used. */
function projectRows(project: LoadedConfig['project'], home: string): readonly (readonly [string, string])[] {
  if (project?.state !== 'used') return []
  return [['Project', `${oneLine(shortPath(project.file, home))} (approved, ${count(project.servers, 'server')})`]]
}

/** Servers that would not start as things are, and those that nobody has asked yet. */
async function notThere(session: Session, environment: Environment) {
  const unknown = await session.unknown()
  const { unusableServers } = await import('./unusable-servers.ts')
  const unusable = unusableServers(environment, session.startable)
  return {
    failed: [...unusable].map(([server, { reason = '' }]): FailedServer => ({ server, reason })),
    unasked: unknown.filter((server) => !unusable.has(server)),
  }
}

function bySource({ servers }: LoadedConfig): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { enabled, origin } of servers) {
    if (enabled) counts.set(origin.source, (counts.get(origin.source) ?? 0) + 1)
  }
  return counts
}

/** `5 (3 from cursor, 2 from config)` */
function serversLine(total: number, sources: readonly { readonly source: string; readonly servers: number }[]): string {
  const from = sources.map(({ source, servers }) => `${number(servers)} from ${source}`).join(', ')
  return `${number(total)}${from === '' ? '' : ` (${from})`}`
}

interface NextStep {
  readonly command: string
  readonly why: string
}

async function nextStep(
  { servers, loaded }: Session,
  failed: readonly FailedServer[],
  unasked: number,
): Promise<NextStep> {
  if (servers.length === 0) return firstStep(loaded)
  const [broken] = await unreadableRules(loaded)
  if (broken !== undefined) return { command: 'toolcrib config validate', why: `says how to correct it: ${broken}` }
  const [first, ...others] = failed
  if (first !== undefined && others.length === 0) {
    const { server, reason } = first
    return { command: `toolcrib doctor ${oneLine(server)}`, why: `says what to do about it: ${oneLine(reason)}` }
  }
  if (first !== undefined) return { command: 'toolcrib doctor', why: 'says why they failed, and what to do about it' }
  if (unasked > 0) return { command: 'toolcrib doctor', why: 'starts each server once and learns what it can do' }
  return loaded.origin.kind === 'defaults'
    ? {
        command: `toolcrib install ${await busiestClient(loaded)}`,
        why: 'puts the gateway into a client in place of its servers',
      }
    : { command: 'toolcrib search "what you need"', why: 'finds a tool; `toolcrib execute` runs it' }
}

async function unreadableRules({ rules, projectRules }: LoadedConfig): Promise<readonly string[]> {
  const { findRuleProblems } = await import('../rules/rule-problems.ts')
  return [rules, projectRules].flatMap((set) => findRuleProblems(set, '')).map(({ message }) => message)
}

/** Where no server is in use. */
async function firstStep(loaded: LoadedConfig): Promise<NextStep> {
  if (!loaded.config.discovery.enabled) {
    const why = 'names the file that switches discovery off; no server is used while discovery.enabled is false'
    return { command: 'toolcrib config show', why }
  }
  const { isForTrust } = await import('../config/project-note.ts')
  if (isForTrust(loaded)) {
    return {
      command: 'toolcrib trust',
      why: 'shows what the files of this folder would run, and asks whether they may',
    }
  }
  return loaded.project?.fault === undefined
    ? { command: 'toolcrib serve --http --demo', why: 'no server is configured yet; this serves the bundled examples' }
    : { command: 'toolcrib config validate', why: 'lists what is wrong with the config of this folder' }
}

/** The one that would save most. */
async function busiestClient(loaded: LoadedConfig): Promise<string> {
  const { importers } = await import('../config/imports/builtins.ts')
  const known = [...bySource(loaded)].filter(([source]) => importers.get(source)?.writer !== undefined)
  return known.toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? 'claude-code'
}

function tokensLine({ without, with: withIt }: { readonly without: number; readonly with: number }): string {
  const saved = Math.round((1 - withIt / without) * 100)
  return `${number(without)} without Toolcrib, ${number(withIt)} with it${saved > 0 ? ` (${saved}% less)` : ''}`
}
