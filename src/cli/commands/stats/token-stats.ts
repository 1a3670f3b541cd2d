// Computes from the usage log how many tokens the gateway has saved its clients, and formats the result.

import { groupBy } from '../../../core/collections.ts'
import { BRACKET_TOKENS } from '../../../disclosure/strategies/listing/tool-cost.ts'
import { count, number, pairs, wrap } from '../../output/text.ts'
import { sumListTokens } from '../../strategy/tool-costs.ts'
import { readLog } from '../../usage/read-log.ts'
import { type AnswerRecord, readUsage, type SessionRecord, tokensIn, type UsageRecord } from '../../usage/usage-log.ts'

interface AnswerStats {
  readonly tool: string
  readonly answers: number
  readonly tokens: number
}

interface UsageSummary {
  readonly sessions: number
  /** The tokens of the tool lists that clients got. */
  readonly surfaceTokens: number
  readonly answers: number
  readonly answerTokens: number
  readonly byTool: readonly AnswerStats[]
  /** The number of sessions in which each server was served. */
  readonly sessionsByServer: ReadonlyMap<string, number>
}

/** The tokens per byte. The log has bytes, so that a gateway does not load the token counter only for the log. */
interface UsageRatios {
  readonly lists?: number
  readonly answers?: number
}

/** `inForce` are the servers of the config. */
export async function summarizeUsage(
  usageFile: string,
  inForce: readonly string[],
  ratios: UsageRatios = {},
): Promise<UsageSummary> {
  const { sessions, answers } = await readRecords(usageFile)
  // A log of an older version has no server names; its sessions count for this config.
  const serversOf = ({ servers }: SessionRecord) => inForce.filter((server) => servers?.includes(server) ?? true)
  const counted = sessions.filter((one) => serversOf(one).length > 0)
  const skipped = new Set(sessions.filter((one) => !counted.includes(one)).map(({ session }) => session))
  const countedAnswers = answers.filter(({ session }) => session === undefined || !skipped.has(session))
  const byTool = new Map<string, AnswerStats>()
  const ratioOf = ({ event }: UsageRecord) => (event === 'session' ? ratios.lists : ratios.answers)
  const sum = (records: readonly UsageRecord[]) =>
    records.reduce((total, record) => total + tokensIn(record, ratioOf(record)), 0)
  for (const answer of countedAnswers) {
    const { tool } = answer
    const before = byTool.get(tool) ?? { answers: 0, tokens: 0 }
    byTool.set(tool, { tool, answers: before.answers + 1, tokens: before.tokens + tokensIn(answer, ratios.answers) })
  }
  const byServer = groupBy(counted.flatMap(serversOf), (server) => server)
  return {
    sessions: counted.length,
    surfaceTokens: sum(counted),
    answers: countedAnswers.length,
    answerTokens: sum(countedAnswers),
    byTool: [...byTool.values()].sort((a, b) => b.tokens - a.tokens || (a.tool < b.tool ? -1 : 1)),
    sessionsByServer: new Map([...byServer].map(([server, own]) => [server, own.length])),
  }
}

/** Reads all records first, because an answer can be logged before its session. */
async function readRecords(usageFile: string) {
  const sessions: SessionRecord[] = []
  const answers: AnswerRecord[] = []
  for await (const value of readLog(usageFile)) {
    const record = readUsage(value)
    if (record?.event === 'session') sessions.push(record)
    else if (record?.event === 'answer') answers.push(record)
  }
  return { sessions, answers }
}

interface TokenStats {
  /** The tokens of the current list of all tools. */
  readonly fullList: number
  /** The tokens of the full list in all sessions. A session counts only its servers that are still in the config. */
  readonly baseline: number
  /** The tokens of the tool lists that clients got from the gateway. */
  readonly surface: number
  /** The tokens of the answers to searches for tools. */
  readonly answers: number
  readonly answerCount: number
  readonly answersByTool: readonly AnswerStats[]
  readonly saved: number
  /** How many searches one session can afford before the full list is cheaper. Null without a session or a search. */
  readonly breakEvenLooks: number | null
}

/** `listTokens`: the tokens of each server's tools in the full list. */
export function tokensOf(usage: UsageSummary, listTokens: ReadonlyMap<string, number>): TokenStats {
  const { sessions, surfaceTokens: surface, answers: answerCount, answerTokens: answers, byTool } = usage
  const fullList = sumListTokens(listTokens.values())
  const inSessions = [...listTokens].reduce(
    (sum, [server, tokens]) => sum + tokens * (usage.sessionsByServer.get(server) ?? 0),
    0,
  )
  const baseline = inSessions === 0 ? 0 : inSessions + sessions * BRACKET_TOKENS
  const perSearch = answerCount === 0 ? 0 : answers / answerCount
  const savedPerSession = sessions === 0 ? 0 : (baseline - surface) / sessions
  return {
    fullList,
    baseline,
    surface,
    answers,
    answerCount,
    answersByTool: byTool,
    saved: baseline - surface - answers,
    breakEvenLooks: perSearch === 0 || sessions === 0 ? null : Math.max(0, Math.floor(savedPerSession / perSearch)),
  }
}

export function tokenLines(stats: TokenStats, width: number): readonly string[] {
  const { baseline, surface, answers, answerCount, answersByTool, saved, breakEvenLooks } = stats
  const share = baseline === 0 ? '' : ` (${((saved / baseline) * 100).toFixed(1)}%)`
  const rows: readonly (readonly [string, string])[] = [
    ['Full tool list, once per session', number(baseline)],
    ['Tool list of the gateway', number(surface)],
    [`Searches for tools, ${count(answerCount, 'answer')}`, number(answers)],
    ...answersByTool.map((one) => [`  ${one.tool}, ${count(one.answers, 'answer')}`, number(one.tokens)] as const),
    [saved < 0 ? 'Lost' : 'Saved', `${number(Math.abs(saved))}${share}`],
  ]
  const breakEven =
    breakEvenLooks === null
      ? ''
      : `Break-even: a session can search for tools ${count(breakEvenLooks, 'time')} before the full list is cheaper.`
  return [...pairs(rows, width, '  '), ...(breakEven === '' ? [] : wrap(breakEven, width, '  '))]
}
