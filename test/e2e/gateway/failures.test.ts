// Failing servers of a running gateway: the answers to clients, and the lines on stderr.

import { describe, expect, it } from 'vitest'
import { gatewayForTest } from './harness.ts'
import { fixtureServer, missing, withEnv } from './servers.ts'

describe('a gateway with servers that fail', () => {
  it('the gateway prints the reason on stderr, in one line for each failing server', async () => {
    const servers = {
      good: fixtureServer('notes'),
      gone: missing,
      crash: fixtureServer('crash-on-start'),
      mute: withEnv(fixtureServer('no-list'), { KEY: 'k' }),
      late: fixtureServer('hang', 'list'),
    }
    const config = { discovery: { listWaitMs: 500, passthrough: true, servers }, limits: { startTimeoutMs: 5_000 } }
    const gateway = await gatewayForTest({ config, door: 'http' })
    const { ask, client } = await gateway.connect()
    // The gateway tries to start the failed servers again, which fails for the same reason.
    for (let round = 0; round < 5; round++) {
      await ask('search_tools', { query: 'no such thing' })
      await client.listPrompts()
    }
    const failed = /: it could not be started: (.*)/
    await expect
      .poll(() => gateway.stderr.split('\n').filter((line) => failed.test(line)), { timeout: 20_000 })
      .toHaveLength(4)
    const lines = gateway.stderr.split('\n').filter((line) => line !== '')
    for (const name of ['gone', 'crash', 'mute', 'late']) {
      expect(lines.filter((line) => line.includes(`${name}: `))).toEqual([expect.stringMatching(failed)])
    }
    expect(await ask('list_mcp_servers')).toMatchObject({
      servers: [
        { name: 'good', toolCount: 2 },
        ...['gone', 'crash', 'mute', 'late'].map((name) => ({ name, status: 'disconnected', state: 'failed' })),
      ],
    })
    const { servers: listed } = (await ask('list_mcp_servers')) as { servers: readonly object[] } // checked above
    for (const one of listed.slice(1)) expect(one).not.toHaveProperty('toolCount')
  })

  it('list_mcp_servers and search_tools give the reason if discovery is disabled', async () => {
    const config = { discovery: { enabled: false, servers: { good: fixtureServer('notes') } } }
    const { ask } = await (await gatewayForTest({ config })).connect()
    const reason = 'Discovery is disabled: discovery.enabled is false in the configuration.'
    expect(await ask('list_mcp_servers')).toMatchObject({ servers: [], reason })
    expect(await ask('search_tools', { query: 'add' })).toMatchObject({ results: [], reason })
  })
})
