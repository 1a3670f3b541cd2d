// toolcrib stats: what the gateway has saved so far, and how its tools did.

import { join } from 'node:path'
import type { Command } from 'commander'
import type { Environment } from './environment.ts'
import { columns, count, milliseconds, number, oneLine } from './output/text.ts'
import type { CallStats } from './stats/summarize.ts'
import { type CommonFlags, commandOf, run, type Work } from './work.ts'

const MAX_TOOLS = 10

export function statsCommand(environment: Environment): Command {
  return commandOf('stats', 'Show the tokens saved so far, and calls, errors and latency.', 'stats').action(
    (flags: CommonFlags) => run(environment, flags, stats),
  )
}

async function stats(work: Work): Promise<number> {
  const { output, environment } = work
  const { openSession } = await import('./session.ts')
  const { toolCosts } = await import('./tool-costs.ts')
  const { summarizeCalls, summarizeUsage } = await import('./stats/summarize.ts')
  const { usageFile } = await import('./stats/usage-log.ts')
  await using session = await openSession(work)
  const { audit } = session.loaded.config
  const calls = await summarizeCalls(audit.file ?? join(environment.stateDir, 'audit.jsonl'))
  const usage = await summarizeUsage(usageFile(environment.stateDir))
  const costs = await toolCosts(await session.view())
  const fullList = [...costs.values()].reduce((sum, { tokens }) => sum + tokens, 0)
  const tokens = tokensOf(usage, fullList)
  const { chooseStrategy } = await import('./choose-strategy.ts')
  const { explainStrategy, explanationLines } = await import('./explain-strategy.ts')
  const { runningStrategies, runningLines } = await import('./stats/running-strategies.ts')
  const chosen = chooseStrategy(session.loaded, {}, environment.env)
  const strategy = await explainStrategy(chosen, await session.view(), environment)
  const running = await runningStrategies(environment.stateDir, work.signal)
  const servers = calls.byServer.map((one) => ({ ...one, listTokens: costs.get(one.name)?.tokens ?? 0 }))
  output.show({ tokens, strategy, running, calls: calls.total, servers, tools: calls.byTool }, () => [
    `Stats (${count(usage.sessions, 'session')}, ${count(calls.total.calls, 'call')}):`,
    '',
    'Tokens:',
    ...(usage.sessions === 0 ? ['  No gateway has served a client yet.'] : tokenLines(tokens)),
    '',
    ...explanationLines(strategy),
    ...runningLines(running),
    '',
    'Calls by server:',
    ...(servers.length === 0
      ? ['  (none)']
      : table([
          ['server', 'calls', 'errors', 'median', 'p95', 'tokens in full list'],
          ...servers.map((one) => [...row(one), number(one.listTokens)]),
        ])),
    ...(calls.byTool.length === 0
      ? []
      : [
          '',
          `Calls by tool${calls.byTool.length > MAX_TOOLS ? ` (${MAX_TOOLS} of ${calls.byTool.length})` : ''}:`,
          ...table([['tool', 'calls', 'errors', 'median', 'p95'], ...calls.byTool.slice(0, MAX_TOOLS).map(row)]),
        ]),
  ])
  return 0
}

interface TokenStats {
  readonly fullList: number
  readonly baseline: number
  readonly surface: number
  readonly answers: number
  readonly answerCount: number
  readonly saved: number
  /** How many looks for tools one session can afford before the full list would have been cheaper. */
  readonly breakEvenLooks: number | null
}

function tokensOf(
  usage: {
    readonly sessions: number
    readonly surfaceTokens: number
    readonly answers: number
    readonly answerTokens: number
  },
  fullList: number,
): TokenStats {
  const { sessions, surfaceTokens: surface, answers: answerCount, answerTokens: answers } = usage
  const baseline = fullList * sessions
  const perLook = answerCount === 0 ? 0 : answers / answerCount
  const perSession = sessions === 0 ? 0 : surface / sessions
  const room = fullList - perSession
  const breakEvenLooks = perLook === 0 ? null : Math.max(0, Math.floor(room / perLook))
  return { fullList, baseline, surface, answers, answerCount, saved: baseline - surface - answers, breakEvenLooks }
}

function tokenLines({ baseline, surface, answers, answerCount, saved, breakEvenLooks }: TokenStats): readonly string[] {
  const share = baseline === 0 ? '' : ` (${((saved / baseline) * 100).toFixed(1)}%)`
  const rows = [
    ['The full list, once per session', number(baseline)],
    ['What the gateway listed instead', number(surface)],
    [`Looking for tools, ${count(answerCount, 'answer')}`, number(answers)],
    [saved < 0 ? 'Lost' : 'Saved', `${number(Math.abs(saved))}${share}`],
  ]
  const even =
    breakEvenLooks === null
      ? []
      : [`  Break-even: a session can look for tools ${count(breakEvenLooks, 'time')} before the full list is cheaper.`]
  return [...columns(rows).map((line) => `  ${line}`), ...even]
}

function row({ name, calls, errors, medianMs, p95Ms }: CallStats): readonly string[] {
  return [oneLine(name) || '(none)', number(calls), number(errors), milliseconds(medianMs), milliseconds(p95Ms)]
}

function table(rows: readonly (readonly string[])[]): readonly string[] {
  return columns(rows).map((line) => `  ${line}`)
}
