// Counts the tokens of the tools that this server lists.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

export async function listingTokens(
  baseUrl: string,
  countTokens: (text: string) => number,
): Promise<{ tools: number; tokens: number }> {
  const client = new Client({ name: 'token-count', version: '1.0.0' })
  try {
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', baseUrl)))
    const { tools } = await client.listTools()
    return { tools: tools.length, tokens: countTokens(JSON.stringify(tools)) }
  } finally {
    await client.close()
  }
}
