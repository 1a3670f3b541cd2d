// Computes the saved tokens: those of the full list per session, minus those of the gateway's list and its answers.

import { BRACKET_TOKENS } from '../../../disclosure/strategies/listing/tool-cost.ts'
import { pairs } from '../../output/table.ts'
import { count, number, wrap } from '../../output/text.ts'
import { sumListTokens } from '../../strategy/tool-costs.ts'
import type { AnswerStats, UsageSummary } from './summarize-usage.ts'

interface TokenStats {
  /** The tokens of the list of all tools now. */
  readonly fullList: number
  /** The sum over all sessions: the full list of those servers in the session that are still in the config. */
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
