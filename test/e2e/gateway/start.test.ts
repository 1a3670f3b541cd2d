// The first start with --demo and without a configuration, and the printed texts.

import { hostname } from 'node:os'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { loadTokenCounter } from '../../../src/core/tokens.ts'
import { connectClient } from './client.ts'
import { covers, gatewayForTest, useGateway } from './harness.ts'

describe('serve --demo without a configuration', () => {
  const gateway = useGateway({ door: 'http', args: ['serve', '--http', '--port', '0', '--demo'] })
  /** Connects with the printed configuration, like a user who pastes it. */
  const connect = () => {
    const pasted = JSON.parse(/^\s*(\{"mcpServers".*\})$/m.exec(gateway().stdout)?.[1] ?? '{}')
    const { type, url, headers } = pasted.mcpServers.toolcrib
    expect(type).toBe('http')
    // The output is not a terminal here, so it names the file with the token.
    expect(gateway().stdout).toMatch(/The token is in .*token; it is printed only on a terminal/)
    expect(headers.Authorization).toBe('Bearer <token>')
    headers.Authorization = `Bearer ${gateway().token}`
    return connectClient(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  }

  it('serve --demo serves the bundled examples, and prints the numbers of servers, tools and tokens', async () => {
    covers('GO-2', 'GO-3')
    // The address is printed first, the numbers after the servers have listed their tools.
    await expect.poll(() => gateway().stdout, { timeout: 30_000 }).toContain('with it')
    const { stdout, url } = gateway()
    const [, servers, tools] =
      /^(\d+) example servers, (\d+) tools \(Toolcrib found no server of yours\)$/m.exec(stdout) ?? []
    expect(Number(servers)).toBe(3)
    expect(Number(tools)).toBeGreaterThanOrEqual(60)
    for (const server of ['notes', 'tracker', 'shop'])
      expect(stdout).toMatch(new RegExp(`^  ${server}: \\d+ tools$`, 'm'))
    const [, without, withIt] = /([\d,]+) without Toolcrib, ([\d,]+) with it/.exec(stdout) ?? []
    const number = (text = '') => Number(text.replaceAll(',', ''))
    expect(number(without)).toBeGreaterThan(5_000)
    expect(number(withIt)).toBeLessThan(600)
    expect(stdout).toContain(`Listening on ${url}`)
    expect(url).toMatch(/^http:\/\/(localhost|127\.0\.0\.1):\d+\/mcp$/)
  })

  it('a client can connect with the printed configuration', async () => {
    covers('GO-3', 'GO-4')
    const client = await connect()
    const created = await client.run({
      tool: 'issue-create',
      arguments: { project: 'WEB', title: 'The kettle is cold', type: 'bug' },
    })
    expect(created.isError).toBeUndefined()
    const found = await client.run({ tool: 'issue-search', arguments: { text: 'kettle' } })
    expect(JSON.stringify(found.structuredContent)).toContain('The kettle is cold')
    await client.close()
  })

  it('searches in the bundled examples cost at most 250 tokens and details at most 150, in the median', async () => {
    covers('NU-1', 'NU-2')
    const client = await connect()
    const count = await loadTokenCounter()
    const queries = [
      'create issue',
      'send an order to the customer',
      'write down a note',
      'refund',
      'which products are low in stock',
      'close the sprint',
      'find notes about the kitchen',
      'add a comment',
      'track a parcel',
      'remind me tomorrow',
      'label an issue as a bug',
    ]
    const searches = await Promise.all(queries.map((query) => client.ask('search_tools', { query })))
    const best = searches.map(({ results }) => (results as { server: string; tool: string }[])[0])
    const details = await Promise.all(best.map((hit) => client.ask('get_tool_details', { ...pick(hit) })))
    expect(details.map(({ parameters }) => parameters)).not.toContain(undefined)
    const median = (answers: readonly object[]) =>
      answers.map((answer) => count(JSON.stringify(answer))).toSorted((a, b) => a - b)[Math.floor(answers.length / 2)]
    expect(median(searches)).toBeLessThanOrEqual(250)
    expect(median(details)).toBeLessThanOrEqual(150)
    await client.close()
  })

  it('serve --demo without a configuration prints nothing on stderr', () => {
    covers('GO-3')
    expect(gateway().stderr).toBe('')
  })
})

describe('serve --http on all addresses', () => {
  it.each([
    ['the name of the machine', [], hostname()],
    ['the first name in http.allowedHosts', ['tools.example.com', 'other.example.com'], 'tools.example.com'],
  ])('the lines for clients have %s instead of 0.0.0.0', async (_, allowedHosts, name) => {
    const config = { discovery: { servers: {} }, http: { host: '0.0.0.0', allowedHosts } }
    const { stdout, url } = await gatewayForTest({ door: 'http', config })
    const { port } = new URL(url)
    expect(url).toBe(`http://0.0.0.0:${port}/mcp`)
    expect(stdout).toContain(`"url":"http://${name}:${port}/mcp"`)
    expect(stdout).toContain(`claude mcp add --transport http toolcrib http://${name}:${port}/mcp `)
    expect(stdout).toContain(`Inspector  http://127.0.0.1:${port}/\n`)
  })
})

describe('serve --http behind a proxy', () => {
  it.each([
    [
      ['*.example.com', 'tools.example.com'],
      'https://tools.example.com/t/mcp',
      'to the first public name in http.allowedHosts',
    ],
    [[], undefined, 'write the address of the proxy into the lines below'],
  ])('with the allowed hosts %j, the lines for clients have the address %s', async (allowedHosts, address, hint) => {
    const http = { allowedHosts, trustProxy: ['127.0.0.1'], basePath: '/t' }
    const { stdout, url } = await gatewayForTest({ door: 'http', config: { discovery: { servers: {} }, http } })
    expect(stdout).toContain(`Listening on ${url}\n`)
    expect(stdout).toContain(`"url":"${address ?? url}"`)
    expect(stdout).toContain(`claude mcp add --transport http toolcrib ${address ?? url} `)
    expect(stdout).toContain(`Clients connect through the proxy of http.trustProxy`)
    expect(stdout).toContain(hint)
  })
})

function pick({ server, tool }: { readonly server: string; readonly tool: string } = { server: '', tool: '' }) {
  return { server, tool }
}
