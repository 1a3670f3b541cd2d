// What sessions paid for finding tools, from the usage log: those alone that had a server of the config in force.

import { readLog } from './read-log.ts'
import { readUsage } from './usage-log.ts'

export interface AnswerStats {
  readonly tool: string
  readonly answers: number
  readonly tokens: number
}

export interface UsageSummary {
  readonly sessions: number
  readonly surfaceTokens: number
  readonly answers: number
  readonly answerTokens: number
  readonly byTool: readonly AnswerStats[]
  /** How many of the sessions each server was behind. */
  readonly sessionsByServer: ReadonlyMap<string, number>
}

/** `inForce`: the servers of the config. */
export async function summarizeUsage(usageFile: string, inForce: readonly string[]): Promise<UsageSummary> {
  const others = new Set<string>()
  const sessionsByServer = new Map<string, number>()
  const byTool = new Map<string, AnswerStats>()
  let [sessions, surfaceTokens] = [0, 0]
  for await (const value of readLog(usageFile)) {
    const record = readUsage(value)
    if (record?.event === 'session') {
      // A log of an older version does not say which: it is taken to be of this config.
      const servers = inForce.filter((server) => record.servers?.includes(server) ?? true)
      if (servers.length === 0) {
        others.add(record.session ?? '')
        continue
      }
      sessions += 1
      surfaceTokens += record.tokens
      for (const server of servers) sessionsByServer.set(server, (sessionsByServer.get(server) ?? 0) + 1)
    } else if (record?.event === 'answer' && !others.has(record.session ?? '')) {
      const { tool } = record
      const { answers, tokens } = byTool.get(tool) ?? { answers: 0, tokens: 0 }
      byTool.set(tool, { tool, answers: answers + 1, tokens: tokens + record.tokens })
    }
  }
  const all = [...byTool.values()].sort((a, b) => b.tokens - a.tokens || (a.tool < b.tool ? -1 : 1))
  const sum = (of: (stats: AnswerStats) => number) => all.reduce((total, stats) => total + of(stats), 0)
  return {
    sessions,
    surfaceTokens,
    answers: sum(({ answers }) => answers),
    answerTokens: sum(({ tokens }) => tokens),
    byTool: all,
    sessionsByServer,
  }
}
