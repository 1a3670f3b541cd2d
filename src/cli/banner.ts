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
  const print = (lines: readonly string[]) => process.stdout.write(`${lines.join('\n')}\n`)
  // First: a server that takes its time must not keep anyone from connecting.
  print([...howToConnect(`${url}/mcp`, tokens), ''])
  const { signal } = new AbortController()
  await crib.settled(signal, PATIENCE_MS)
  const view = await crib.inspect(signal)
  const count = await loadTokenCounter()
  const without = count(JSON.stringify(view.visible.tools.map(listInFull)))
  const withIt = count(JSON.stringify(await crib.list({ caller: view.caller, signal })))
  print([
    `${view.sources.length} servers, ${view.visible.tools.length} tools`,
    ...view.sources.map(({ id, toolCount, state, reason }) => {
      if (state === 'failed') return `  ${id}: failed: ${reason ?? 'no reason given'}`
      return `  ${id}: ${state === 'starting' && toolCount === 0 ? 'still starting' : `${toolCount} tools`}`
    }),
    '',
    `Tokens a client pays for the list of tools (o200k): ${number(without)} without Toolcrib, ${number(withIt)} with it`,
  ])
}

/** Servers that are fetched on their first start take long; they are counted as what they are. */
const PATIENCE_MS = 15_000

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
