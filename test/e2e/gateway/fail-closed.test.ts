// Errors in settings that restrict access: the gateway applies the stricter meaning and prints a warning.

import { mkdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { toolNamesOf } from './client.ts'
import { covers, gatewayForTest } from './harness.ts'
import { homeForTest } from './home.ts'
import { fixtureServer } from './servers.ts'

const github = fixtureServer('named-tools', 'create_issue', 'delete_repo')
const files = fixtureServer('named-tools', 'read_file', 'delete_file')

async function serve(config: { readonly discovery?: object; readonly [key: string]: unknown }) {
  const gateway = await gatewayForTest({
    config: { ...config, discovery: { listWaitMs: 30_000, servers: { github, files }, ...config.discovery } },
  })
  const client = await gateway.connect()
  return { gateway, client, enabled: (server: string) => toolNamesOf(client, server) }
}

describe('a disabling rule that cannot be compiled', () => {
  it.each(['/(?=delete)/', '/delete(/'])(
    'the disabling rule %s, which cannot be compiled, disables every tool, and a warning is printed on stderr',
    async (pattern) => {
      covers('TR-5')
      const { gateway, client, enabled } = await serve({ discovery: { toolRules: [{ pattern, enabled: false }] } })
      expect([await enabled('github'), await enabled('files')]).toEqual([[], []])
      for (const tool of ['github:delete_repo', 'files:read_file']) {
        expect(await client.ask('execute_tool', { tool })).toMatchObject({ error: { code: 'TOOL_DISABLED' } })
      }
      expect(gateway.stderr).toContain('discovery.toolRules[0].pattern')
      expect(gateway.stderr).toContain('Rule 1 cannot be read and disables every tool until it is corrected')
    },
  )

  it('a rule with a `server` and a pattern that cannot be compiled disables only the tools of that server', async () => {
    const { gateway, enabled } = await serve({
      discovery: { toolRules: [{ server: 'github', pattern: '/delete(/', enabled: false }] },
    })
    expect([await enabled('github'), await enabled('files')]).toEqual([[], ['read_file', 'delete_file']])
    expect(gateway.stderr).toContain("disables every tool of server 'github' until it is corrected")
  })

  it('an edit with a rule that cannot be compiled is refused, and the earlier rules stay in force', async () => {
    const { gateway, enabled } = await serve({ discovery: { toolRules: [{ pattern: '*delete*', enabled: false }] } })
    expect(await enabled('github')).toEqual(['create_issue'])
    gateway.edit({ discovery: { servers: { github, files }, toolRules: [{ pattern: '/delete(/', enabled: false }] } })
    await expect.poll(() => gateway.stderr, { timeout: 10_000 }).toContain('this edit is not applied')
    expect(await enabled('github')).toEqual(['create_issue'])
  })
})

describe('a rule that is written wrongly', () => {
  it('a rule with a wrong key disables the tools that it could match, and a warning is printed on stderr', async () => {
    const { gateway, enabled } = await serve({ discovery: { toolRules: [{ pattern: '*delete*', enable: false }] } })
    expect([await enabled('github'), await enabled('files')]).toEqual([['create_issue'], ['read_file']])
    expect(gateway.stderr).toContain('Until this is corrected, rule 1 disables what it matches')
  })
})

describe('an invalid audit setting', () => {
  it('the gateway with an invalid audit setting refuses calls that cannot be recorded', async () => {
    const home = homeForTest()
    // A folder with the name of the log makes writing fail, even for root.
    mkdirSync(home.at('state', 'toolcrib', 'audit.jsonl'), { recursive: true })
    const gateway = await gatewayForTest({
      home,
      config: { audit: 'strict', discovery: { listWaitMs: 30_000, servers: { files } } },
    })
    const client = await gateway.connect()
    expect(await client.ask('execute_tool', { tool: 'files:read_file' })).toMatchObject({
      error: { code: 'AUDIT_FAILED' },
    })
    expect(gateway.stderr).toContain("Until this is corrected, 'audit' is strict")
  })
})

describe('a server with a wrong `enabled`', () => {
  it('a server with an invalid `enabled` is not served, neither from the config nor from the file of a client', async () => {
    const home = homeForTest()
    home.write('claude.json', { mcpServers: { github: github.connection } })
    const gateway = await gatewayForTest({
      home,
      config: {
        discovery: {
          servers: { github: { ...github, enabled: 'false' }, files },
          sources: [{ type: 'claude-desktop', path: '~/claude.json' }],
        },
      },
    })
    const client = await gateway.connect()
    expect(await client.ask('list_mcp_servers')).toMatchObject({ servers: [{ name: 'files' }], total: 1 })
    expect(gateway.stderr).toContain("server 'github' is not served")
  })
})
