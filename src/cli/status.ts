// toolcrib on a terminal, without a command: how things are, and what to type next.

import type { Command } from 'commander'
import type { LoadedConfig } from '../config/load.ts'
import type { Environment } from './environment.ts'
import { columns, count, number, oneLine, shortPath } from './output/text.ts'
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
  const [unknown, tokens] = [await session.unknown(), await tokensOf(session)]
  const view = await session.view()
  progress.clear()
  const { askGateways } = await import('./control/ask-gateways.ts')
  const running = await askGateways(environment.stateDir, 'status', work.signal)
  const sources = [...bySource(loaded)].map(([source, servers]) => ({ source, servers }))
  const next = await nextStep(session, unknown.length)
  const document = {
    version: environment.version,
    config: loaded.origin.kind === 'defaults' ? null : loaded.origin.file,
    sources,
    servers: session.servers.length,
    unknownServers: unknown.length,
    tools: view.visible.tools.length,
    tokens,
    gateways: running.map(({ pid }) => pid),
    next,
  }
  output.show(document, () => {
    const { paint } = output
    const file =
      document.config === null
        ? 'none, so what the clients on this machine have'
        : oneLine(shortPath(document.config, environment.home))
    const rows = [
      ['Config', file],
      ['Servers', [number(session.servers.length), ...sources.map((one) => `${one.source} ${one.servers}`)].join('  ')],
      [
        'Tools',
        `${number(view.visible.tools.length)}${unknown.length === 0 ? '' : `, and ${count(unknown.length, 'server')} not asked yet`}`,
      ],
      ['Tokens', tokens.without === 0 ? 'none yet' : tokensLine(tokens)],
      ['Running', running.length === 0 ? 'no gateway' : count(running.length, 'gateway')],
    ]
    return [
      paint.bold(`Toolcrib ${environment.version}`),
      '',
      ...columns(rows.map(([name = '', value = '']) => [paint.dim(name), value])),
      '',
      `Next: ${paint.bold(next.command)}`,
      `      ${next.why}`,
      ...(output.isQuiet ? [] : ['', paint.dim('All commands: toolcrib --help')]),
    ]
  })
  return 0
}

async function tokensOf(session: Session): Promise<{ readonly without: number; readonly with: number }> {
  const { surfaceTokens } = await import('./surface-tokens.ts')
  return surfaceTokens(session)
}

function bySource({ servers }: LoadedConfig): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { enabled, origin } of servers) {
    if (enabled) counts.set(origin.source, (counts.get(origin.source) ?? 0) + 1)
  }
  return counts
}

interface NextStep {
  readonly command: string
  readonly why: string
}

async function nextStep({ servers, loaded }: Session, unknown: number): Promise<NextStep> {
  if (servers.length === 0) {
    const hasFiles = loaded.sources.some(({ state }) => state === 'unapproved')
    return hasFiles
      ? { command: 'toolcrib import', why: 'shows the servers of this project and asks whether they may be used' }
      : {
          command: 'toolcrib serve --http --demo',
          why: 'no server is configured yet; this serves the bundled examples',
        }
  }
  if (unknown > 0) return { command: 'toolcrib doctor', why: 'starts each server once and learns what it can do' }
  return loaded.origin.kind === 'defaults'
    ? {
        command: `toolcrib install ${await busiestClient(loaded)}`,
        why: 'puts the gateway into a client in place of its servers',
      }
    : { command: 'toolcrib search "what you need"', why: 'finds a tool; `toolcrib execute` runs it' }
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
