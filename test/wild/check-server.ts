// The checks of one server behind the gateway.

import { setTimeout as delay } from 'node:timers/promises'
import type { MetaToolAnswer, ProtocolEra } from '../e2e/gateway/client.ts'
import { type ChildClient, endProcess } from './child-client.ts'
import { compareCalls, compareDetails, compareNames } from './compare.ts'
import type { DirectAnswers } from './direct.ts'
import { checks, type ServerCheck, type WildServer } from './servers.ts'

export interface CheckOutcome {
  readonly server: string
  readonly era: ProtocolEra
  readonly check: ServerCheck
  readonly differences: readonly string[]
  /** The place of the first tool in the answer to a search by its description; 0 if it is not there. */
  readonly rank?: number
}

const NOTICE_MS = 10_000
const PAGE = 200

/** Every check runs, even after a check that fails. */
export async function checkServer(
  gateway: ChildClient,
  server: WildServer,
  direct: DirectAnswers,
): Promise<readonly CheckOutcome[]> {
  let rank = 0
  const steps: Readonly<Record<ServerCheck, () => Promise<readonly string[]>>> = {
    list: async () => compareNames(direct.tools, await listNames(gateway, server.alias)),
    details: () => checkDetails(gateway, server, direct),
    async search() {
      rank = await findFirst(gateway, server, direct)
      return rank === 0 ? [`'${direct.tools[0]?.name}' is not found by its description`] : []
    },
    call: () => callAndCompare(gateway, server, direct),
    start: async () => {
      const { state, toolCount } = await stateOf(gateway, server)
      const isRunning = state === 'connected' && toolCount === direct.tools.length
      return isRunning ? [] : [`the state is '${state}' with ${toolCount} of ${direct.tools.length} tools`]
    },
    restart: () => checkRestart(gateway, server, direct),
  }
  const outcomes: CheckOutcome[] = []
  // `start` comes after the call: a server with a cached list is not started before it is needed.
  for (const check of ['list', 'details', 'search', 'call', 'start', 'restart'] as const) {
    const differences = await steps[check]().catch((error) => [String(error)])
    outcomes.push({
      server: server.name,
      era: gateway.era,
      check,
      differences,
      ...(check === 'search' ? { rank } : {}),
    })
  }
  return outcomes.toSorted((a, b) => checks.indexOf(a.check) - checks.indexOf(b.check))
}

async function listNames(gateway: ChildClient, server: string): Promise<readonly string[]> {
  const names: string[] = []
  for (;;) {
    const answer = await gateway.ask('list_tools', { server, offset: names.length, limit: PAGE })
    const { tools, hasMore } = answer as { tools?: readonly { name: string }[]; hasMore?: boolean } // docs/gateway.md
    if (tools === undefined) throw new Error(JSON.stringify(answer))
    names.push(...tools.map(({ name }) => name))
    if (hasMore !== true || tools.length === 0) return names
  }
}

async function checkDetails(gateway: ChildClient, { alias }: WildServer, { tools }: DirectAnswers) {
  const found: string[] = []
  for (const tool of tools) {
    const details = await gateway.ask('get_tool_details', { server: alias, tool: tool.name, schema: true })
    found.push(...compareDetails(tool, details))
  }
  return found
}

async function findFirst(gateway: ChildClient, { alias }: WildServer, { tools }: DirectAnswers): Promise<number> {
  const [first] = tools
  const answer = await gateway.ask('search_tools', { query: first?.description || first?.name })
  const { results = [] } = answer as { results?: readonly { server: string; tool: string }[] } // docs/gateway.md
  return results.findIndex(({ server, tool }) => server === alias && tool === first?.name) + 1
}

async function callAndCompare(gateway: ChildClient, server: WildServer, direct: DirectAnswers) {
  const { alias, call, varies } = server
  const given = { server: alias, tool: call.tool, arguments: call.arguments }
  return compareCalls(direct.call, await gateway.callRaw('execute_tool', given), varies)
}

async function stateOf(gateway: ChildClient, { alias }: WildServer): Promise<MetaToolAnswer> {
  const answer = await gateway.ask('list_mcp_servers', { limit: 100 })
  const { servers = [] } = answer as { servers?: readonly MetaToolAnswer[] } // docs/gateway.md
  return servers.find(({ name }) => name === alias) ?? {}
}

/** Kills the process of the server, as a crash would, and calls again. */
async function checkRestart(gateway: ChildClient, server: WildServer, direct: DirectAnswers) {
  const before = processOf(gateway, server)
  if (before === undefined) return ['the server has no process']
  endProcess(before)
  const endsAt = performance.now() + NOTICE_MS
  while ((await stateOf(gateway, server)).state === 'connected') {
    if (performance.now() > endsAt) return ['the gateway does not notice the end of the process']
    await delay(20)
  }
  const differences = await callAndCompare(gateway, server, direct)
  const after = processOf(gateway, server)
  return after === undefined || after === before ? [...differences, 'no new process was started'] : differences
}

/** The process that the gateway has started for the server. That process may have children with the same path. */
function processOf(gateway: ChildClient, { installed, title = installed }: WildServer): number | undefined {
  return gateway.processes().find(({ command }) => command.includes(title))?.pid
}
