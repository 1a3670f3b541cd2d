// Sums the tokens that sessions paid for finding tools, from the usage log. Skips sessions without a configured server.

import { readLog } from '../../usage/read-log.ts'
import { USUAL_TOKENS_PER_BYTE } from '../../usage/tokens-per-byte.ts'
import { type AnswerRecord, readUsage, type SessionRecord, type UsageRecord } from '../../usage/usage-log.ts'

export interface AnswerStats {
  readonly tool: string
  readonly answers: number
  readonly tokens: number
}

export interface UsageSummary {
  readonly sessions: number
  /** The tokens of the tool lists that clients got. */
  readonly surfaceTokens: number
  readonly answers: number
  readonly answerTokens: number
  readonly byTool: readonly AnswerStats[]
  /** The number of sessions in which each server was served. */
  readonly sessionsByServer: ReadonlyMap<string, number>
}

/** `inForce` are the servers of the config. */
export async function summarizeUsage(
  usageFile: string,
  inForce: readonly string[],
  tokensPerByte = USUAL_TOKENS_PER_BYTE,
): Promise<UsageSummary> {
  const { sessions, answers } = await readRecords(usageFile)
  // A log of an older version has no server names; its sessions count for this config.
  const serversOf = ({ servers }: SessionRecord) => inForce.filter((server) => servers?.includes(server) ?? true)
  const counted = sessions.filter((one) => serversOf(one).length > 0)
  const skipped = new Set(sessions.filter((one) => !counted.includes(one)).map(({ session }) => session))
  const countedAnswers = answers.filter(({ session }) => session === undefined || !skipped.has(session))
  const byTool = new Map<string, AnswerStats>()
  const tokensIn = (record: UsageRecord) =>
    'tokens' in record ? record.tokens : Math.round(record.bytes * tokensPerByte)
  const sum = (records: readonly UsageRecord[]) => records.reduce((total, record) => total + tokensIn(record), 0)
  for (const answer of countedAnswers) {
    const { tool } = answer
    const before = byTool.get(tool) ?? { answers: 0, tokens: 0 }
    byTool.set(tool, { tool, answers: before.answers + 1, tokens: before.tokens + tokensIn(answer) })
  }
  const sessionsByServer = new Map<string, number>()
  for (const server of counted.flatMap(serversOf)) {
    sessionsByServer.set(server, (sessionsByServer.get(server) ?? 0) + 1)
  }
  return {
    sessions: counted.length,
    surfaceTokens: sum(counted),
    answers: countedAnswers.length,
    answerTokens: sum(countedAnswers),
    byTool: [...byTool.values()].sort((a, b) => b.tokens - a.tokens || (a.tool < b.tool ? -1 : 1)),
    sessionsByServer,
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
