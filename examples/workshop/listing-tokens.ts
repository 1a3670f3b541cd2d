// Counts the tokens of the tools that a server lists over HTTP.

const PROTOCOL = '2026-07-28'
const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': PROTOCOL,
  'mcp-method': 'tools/list',
}

/** Sends one request without the client of the SDK, because that client is not a dependency of the package. */
export async function listingTokens(
  baseUrl: string,
  countTokens: (text: string) => number,
): Promise<{ tools: number; tokens: number }> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': PROTOCOL,
    'io.modelcontextprotocol/clientInfo': { name: 'token-count', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } })
  const response = await fetch(new URL('/mcp', baseUrl), { method: 'POST', headers: HEADERS, body })
  const text = await response.text()
  const json = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? 'null')
  // The server of this example wrote it.
  const { result } = JSON.parse(json) as { readonly result: { readonly tools: readonly unknown[] } }
  return { tools: result.tools.length, tokens: countTokens(JSON.stringify(result.tools)) }
}
