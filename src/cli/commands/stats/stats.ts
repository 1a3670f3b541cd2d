// toolcrib stats: shows how many tokens the gateway has saved its clients, and the calls, errors and latency of tools.

import { join } from 'node:path'
import type { Command } from 'commander'
import type { Environment } from '../../../setup/environment.ts'
import type { StrategyState } from '../../gateway/ask-gateways.ts'
import { HOW_TO_ADD_SERVERS } from '../../output/notes.ts'
import { count, wrap } from '../../output/text.ts'
import { type CommonFlags, commandOf, run, type Work } from '../../output/work.ts'

const MAX_SHOWN_TOOLS = 10

export function createCommand(environment: Environment): Command {
  return commandOf(
    'stats',
    'Show how many tokens the gateway has saved its clients, and the calls, errors and latency of tools.',
    'stats',
  ).action((flags: CommonFlags) => run(environment, flags, stats))
}

async function stats(work: Work): Promise<number> {
  const { output, environment } = work
  const { width } = output
  const { openSession } = await import('../../gateway/session.ts')
  const { toolCosts } = await import('../../strategy/tool-costs.ts')
  const { readLog, readAuditStream } = await import('../../usage/read-log.ts')
  const { loadTokenCounter } = await import('../../../core/tokens.ts')
  const { summarizeUsage, tokenLines, tokensOf } = await import('./token-stats.ts')
  const { callRows, callTable, summarizeCalls } = await import('./call-stats.ts')
  const { tokensPerByte, usageFile } = await import('../../usage/usage-log.ts')
  await using session = await openSession(work)
  const { audit } = session.loaded.config
  const auditFile = audit.file ?? join(environment.stateDir, 'audit.jsonl')
  const calls = await summarizeCalls(audit.stream ? readAuditStream(session.loaded, environment) : readLog(auditFile))
  const view = await session.view()
  const { checkStrategy, chooseStrategy } = await import('../../strategy/choose-strategy.ts')
  const { explainStrategy, explanationLines, listChosen } = await import('../../strategy/explain-strategy.ts')
  const chosen = chooseStrategy(session.loaded, {}, environment.env)
  checkStrategy(chosen)
  const strategy = await explainStrategy(chosen, view, environment, session.loaded)
  const listed = await listChosen(chosen, view, environment, session.loaded)
  const usage = await summarizeUsage(usageFile(environment.stateDir), session.servers, {
    // The tokens per byte of the current list. For a session that got it, `stats` shows the same count as `status`.
    lists: strategy.listTokens / Buffer.byteLength(JSON.stringify(listed)),
    answers: tokensPerByte(view.visible.tools, await loadTokenCounter()),
  })
  const costs = await toolCosts(view)
  const listTokens = new Map(session.servers.map((name) => [name, costs.byServer.get(name)?.tokens ?? 0]))
  const tokens = tokensOf(usage, listTokens)
  const sessionsOf = (server: string) => usage.sessionsByServer.get(server) ?? 0
  const servers = callRows(
    calls.byServer,
    new Map([...listTokens].map(([name, cost]) => [name, { tokens: cost, sessions: sessionsOf(name) }])),
  )
  const tools = callRows(
    calls.byTool,
    new Map([...costs.byTool].map(([id, cost]) => [id, { ...cost, sessions: sessionsOf(cost.server) }])),
  )
  const called = tools.filter((one) => one.calls > 0)
  const running = await runningStrategies(work)
  const { total, unknownNames } = calls
  output.show({ tokens, strategy, running, calls: total, unknownNames, servers, tools }, () => [
    `Stats (${count(usage.sessions, 'session')}, ${count(total.calls, 'call')}):`,
    '',
    'Tokens:',
    ...(usage.sessions === 0
      ? output.wrap(output.keepConfig(noSessionText(session.servers, total.calls)), '  ')
      : tokenLines(tokens, width)),
    '',
    ...explanationLines(strategy, output),
    ...runningLines(running).flatMap((line) => output.wrap(line)),
    '',
    ...wrap('By server (tokens in the full list: once, and in all sessions):', width),
    ...(servers.length === 0 && unknownNames.calls === 0
      ? ['  (none)']
      : callTable('server', servers, width, unknownNames)),
    ...(called.length === 0
      ? []
      : [
          '',
          `By tool${called.length > MAX_SHOWN_TOOLS ? ` (${MAX_SHOWN_TOOLS} of ${called.length} that were called)` : ''}:`,
          ...callTable('tool', called.slice(0, MAX_SHOWN_TOOLS), width),
        ]),
  ])
  return 0
}

function noSessionText(servers: readonly string[], calls: number): string {
  if (servers.length === 0) return `No server is in use, so the gateway saves no tokens. ${HOW_TO_ADD_SERVERS}`
  const what =
    calls === 0
      ? 'No gateway has served these servers to a client yet.'
      : 'No client has listed the tools of these servers yet.'
  return `${what} Run \`toolcrib install\` to see which clients have the gateway, and restart one that has it.`
}

type RunningStrategy = StrategyState & { readonly pid: number }

async function runningStrategies({ environment, signal }: Work): Promise<readonly RunningStrategy[]> {
  const { askGateways, strategyStateIn } = await import('../../gateway/ask-gateways.ts')
  const answers = await askGateways(environment.stateDir, 'status', signal)
  return answers.flatMap((answer) => {
    const state = strategyStateIn(answer)
    return state === undefined ? [] : [{ pid: answer.pid, ...state }]
  })
}

function runningLines(running: readonly RunningStrategy[]): readonly string[] {
  return running.map(({ pid, strategy, choice, strategyStats }) => {
    const lists = choice === null ? '' : `, which lists as ${choice.strategy}: ${choice.reason}`
    const counted = Object.entries(strategyStats).map(([name, value]) => `; ${name} ${JSON.stringify(value)}`)
    return `Running as process ${pid}: ${strategy}${lists}${counted.join('')}`
  })
}
