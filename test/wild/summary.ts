// The table of a run, for the terminal and for docs/wild.md.

import type { Row } from '../../bench/report.ts'
import type { CheckOutcome } from './check-server.ts'
import type { DirectAnswers } from './direct.ts'
import { checks, type ServerCheck, sdkVersionOf, type WildServer } from './servers.ts'

/** One server with all its checks in both eras. */
export interface ServerReport {
  readonly server: WildServer
  readonly direct: DirectAnswers
  readonly outcomes: readonly CheckOutcome[]
}

/** A check with a known difference passes if only that difference occurs. Any other check passes if nothing differs. */
export function hasPassed(
  { differs }: Pick<WildServer, 'differs'>,
  { check, differences }: Pick<CheckOutcome, 'check' | 'differences'>,
): boolean {
  const known = differs[check]
  if (known === undefined) return differences.length === 0
  const isKnown = new RegExp(known.matches)
  return differences.length > 0 && differences.every((text) => isKnown.test(text))
}

export function rowOf({ server, direct, outcomes }: ServerReport): Row {
  const ranks = new Set(outcomes.flatMap(({ rank }) => (rank === undefined ? [] : [rank])))
  const isFailure = 'error' in direct.call || direct.call.result.isError
  const different = checks.filter((check) =>
    outcomes.some((one) => one.check === check && (one.differences.length > 0 || !hasPassed(server, one))),
  )
  return {
    server: server.name,
    version: server.version,
    sdk: sdkVersionOf(server) ?? '-',
    tools: direct.tools.length,
    'found at': [...ranks].map((rank) => rank || 'not found').join(', '),
    'compared call': `${server.call.tool}: ${isFailure ? 'an error' : 'a result'}`,
    differs: different.join(', ') || 'same',
  }
}

export function failureTexts({ server, outcomes }: ServerReport): readonly string[] {
  return outcomes
    .filter((outcome) => !hasPassed(server, outcome))
    .map(({ era, check, differences }) => {
      const what = differences.length === 0 ? ['a known difference did not occur'] : differences
      return `${server.name}, ${check}, ${era} era: ${what.slice(0, 5).join('; ')}`
    })
}

/** The page docs/wild.md. It has no date and no path of a machine, so it changes only if the result or the Node version does. */
export function wildPage(reports: readonly ServerReport[], command: string): string {
  const rows = reports.map(rowOf)
  const columns = Object.keys(rows[0] ?? {})
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`
  const tools = reports.reduce((sum, { direct }) => sum + direct.tools.length, 0)
  const same = rows.filter(({ differs }) => differs === 'same').length
  const reasons = reports.flatMap(({ server }) =>
    Object.entries(server.differs).map(([check, { reason }]) => `- ${server.name}, \`${check}\`: ${reason}`),
  )
  return `# Public servers

\`${command}\` wrote this page with Node ${process.version}. It starts ${reports.length} public MCP servers with
${tools.toLocaleString('en')} tools behind the gateway, ten at a time, and compares every answer with that of the same server
without a gateway. ${same} of ${reports.length} servers answer the same${same === reports.length ? '' : '; [Differences](#differences) explains the others'}.

The servers are in [test/wild/servers.json](../test/wild/servers.json). The script installs them from npm at these versions into a
temporary folder, without install scripts. Each server has its own home folder and no API key; three servers that do not start
without a key get the word \`none\`. Every check runs twice: with a client of protocol 2025-11-25 and empty caches, and with a
client of 2026-07-28 and cached lists.

| check | what is compared |
|---|---|
${checks.map((check) => line([`\`${check}\``, MEANING[check]])).join('\n')}

At the end of each gateway the script checks that no process is left. CI runs five of the servers
(\`npm run test:wild -- --short\`).

${line(columns)}
${line(columns.map(() => '---'))}
${rows.map((row) => line(columns.map((column) => row[column] ?? ''))).join('\n')}

"sdk" is the version of \`@modelcontextprotocol/sdk\` that npm installed with the server; "-" if the server bundles it or does
not use it. "found at" is the position of its first tool in the answer of \`search_tools\` to the description of that tool.
In "compared call", "an error" means that the server itself answers with an error, mostly because it has no API key; the gateway
must return the same error.
${reasons.length === 0 ? '' : `\n## Differences\n\n${reasons.join('\n')}\n`}`
}

const MEANING: Readonly<Record<ServerCheck, string>> = {
  start: 'the server is connected after the call, with the same number of tools',
  list: '`list_tools`: the same names in the same order',
  search: '`search_tools` with the description of the first tool: the answer contains this tool',
  details: '`get_tool_details` with `schema: true` for every tool: the same description and the same JSON Schema',
  call: '`execute_tool`: the same content blocks, `_meta`, `isError` and structured content, or the same error message',
  restart: 'the process of the server is killed; the next call starts a new one and has the same result',
}
