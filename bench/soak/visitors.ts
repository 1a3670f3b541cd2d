// Clients of both protocol eras that connect, list the tools, call different tools and disconnect.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

export interface Tally {
  calls: number
  visits: number
  /** Answers with an error, for example because the server was just killed. */
  refused: number
  /** Wrong answers and broken connections. */
  readonly faults: string[]
}

const MAX_FAULTS = 20
const SERVERS = 6

export async function visitUntil(url: URL, isOver: () => boolean, tally: Tally, number: number): Promise<void> {
  for (let visit = number; !isOver(); visit++) {
    try {
      await visitOnce(url, isOver, tally, visit)
    } catch (error) {
      if (tally.faults.length < MAX_FAULTS) tally.faults.push(String(error))
    }
  }
}

async function visitOnce(url: URL, isOver: () => boolean, tally: Tally, visit: number): Promise<void> {
  const isLegacy = visit % 2 === 0
  const mode = isLegacy ? 'legacy' : { pin: '2026-07-28' }
  const client = new Client({ name: `visitor-${visit}`, version: '1.0.0' }, { versionNegotiation: { mode } })
  const transport = new StreamableHTTPClientTransport(url)
  await client.connect(transport)
  tally.visits++
  await client.listTools()
  const requests = 20 + (visit % 7) * 30
  for (let request = 0; request < requests && !isOver(); request++) await ask(client, tally, visit + request)
  if (isLegacy) await transport.terminateSession()
  await client.close()
}

async function ask(client: Client, tally: Tally, number: number): Promise<void> {
  const server = `server-${number % SERVERS}`
  const text = `call ${++tally.calls}`
  const execute = (tool: string, args: object) => ({
    name: 'execute_tool',
    arguments: { server, tool, arguments: args },
  })
  const requests = [
    { name: 'search_tools', arguments: { query: `echo a text ${number % 50}` } },
    { name: 'get_tool_details', arguments: { server, tool: 'echo' } },
    { name: 'list_mcp_servers', arguments: {} },
    execute('sized', { bytes: 20_000 }),
    // This result is cut, and the gateway keeps the rest.
    execute('sized', { bytes: 300_000 }),
    execute('echo', { text: '' }),
    execute('no-such-tool', {}),
  ]
  // Every second request calls `echo`; the others take the requests of the list in turn.
  const isEcho = number % 2 === 0
  const asked = isEcho ? execute('echo', { text }) : requests[(number >> 1) % requests.length]
  if (asked === undefined) return
  const { content, isError } = await client.callTool(asked)
  if (isError === true) tally.refused++
  else if (isEcho && !JSON.stringify(content).includes(`"${text}"`)) throw new Error('Another call was answered.')
}
