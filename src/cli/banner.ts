// What a person sees when the gateway has started: what is behind it, what it saves, how to connect.

import { loadTokenCounter } from '../core/tokens.ts'
import type { Gateway } from '../crib/from-config.ts'
import { listInFull } from '../disclosure/listed.ts'

export async function printBanner(
  gateway: Gateway,
  url: string,
  tokens: Readonly<Record<string, string>> | undefined,
): Promise<void> {
  const { crib } = gateway
  // Servers of which nothing is known get as long as a listing would give them.
  const signal = AbortSignal.timeout(60_000)
  await crib.settled(signal)
  const view = await crib.inspect(signal)
  const count = await loadTokenCounter()
  const without = count(JSON.stringify(view.visible.tools.map(listInFull)))
  const withIt = count(JSON.stringify(await crib.list({ caller: view.caller, signal })))
  const lines = [
    `${view.sources.length} servers, ${view.visible.tools.length} tools`,
    ...view.sources.map(({ id, toolCount, state, reason }) =>
      state === 'failed' ? `  ${id}: failed: ${reason ?? 'no reason given'}` : `  ${id}: ${toolCount} tools`,
    ),
    '',
    `Tokens a client pays for the list of tools (o200k): ${number(without)} without Toolcrib, ${number(withIt)} with it`,
    '',
    ...howToConnect(`${url}/mcp`, tokens),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

function howToConnect(url: string, tokens: Readonly<Record<string, string>> | undefined): readonly string[] {
  const [token] = Object.values(tokens ?? {})
  const headers = token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } }
  const header = token === undefined ? '' : ` --header "Authorization: Bearer ${token}"`
  return [
    `Listening on ${url}`,
    '',
    'Paste into the configuration of an MCP client:',
    `  ${JSON.stringify({ mcpServers: { toolcrib: { type: 'http', url, ...headers } } })}`,
    'or, with Claude Code, run:',
    `  claude mcp add --transport http toolcrib ${url}${header}`,
    'Stop with Ctrl-C.',
  ]
}

function number(value: number): string {
  return value.toLocaleString('en-US')
}
