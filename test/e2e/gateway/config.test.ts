// The config: files of clients, our own file in every format, references, and errors.

import { mkdirSync, rmSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { importers } from '../../../src/config/imports/builtins.ts'
import { freePort, modernOverHttp } from '../../../src/sources/upstream/http.fixture.ts'
import { fixturePath } from '../../../src/sources/upstream/upstream.fixture.ts'
import { type GatewayClient, toolNamesOf } from './client.ts'
import { covers, gatewayForTest, useClient } from './harness.ts'
import { homeForTest, useHome } from './home.ts'
import { everything, fixtureServer, missing } from './servers.ts'

/** The command line of a server with these tools. */
const line = (...tools: readonly string[]) => ({
  command: process.execPath,
  args: [fixturePath('named-tools'), ...tools],
})

async function serversOf(client: GatewayClient): Promise<readonly string[]> {
  const { servers } = await client.ask('list_mcp_servers', { limit: 100 })
  return (servers as { name: string }[]).map(({ name }) => name)
}

describe('the files of clients', () => {
  const home = useHome()
  const { command, args } = line('a')
  // Each file has the format of its client, with the client's own way to deny tools.
  const files: Readonly<Record<string, readonly [string, unknown]>> = {
    'docker-mcp': ['docker.json', { mcpServers: { 'in-docker': line('a') } }],
    'claude-desktop': ['desktop.json', { mcpServers: { 'in-desktop': line('a') } }],
    'claude-code': ['claude.json', { mcpServers: { 'in-code': { type: 'stdio', ...line('a') } } }],
    cursor: ['cursor.json', { mcpServers: { 'in-cursor': { ...line('a'), env: { KEY: `\${env:NOT_SET}` } } } }],
    vscode: [
      'vscode.json',
      `{ // comments, and a comma too many\n "servers": { "in-vscode": ${JSON.stringify({ type: 'stdio', ...line('a') })}, }, }`,
    ],
    copilot: ['copilot.json', { mcpServers: { 'in-copilot': { type: 'local', ...line('a'), tools: ['*'] } } }],
    windsurf: ['windsurf.json', { mcpServers: { 'in-windsurf': { ...line('a', 'b'), disabledTools: ['b'] } } }],
    codex: [
      'codex.toml',
      `[mcp_servers.in-codex]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify([...args, 'b'])}\nenabled_tools = ["a"]\n`,
    ],
    gemini: [
      'gemini.json',
      { mcpServers: { 'in-gemini': { ...line('a', 'b', 'c'), includeTools: ['a', 'b'], excludeTools: ['b'] } } },
    ],
    zed: ['zed.json', `{ "context_servers": { "in-zed": ${JSON.stringify({ source: 'custom', ...line('a') })}, } }`],
    opencode: ['opencode.jsonc', { mcp: { 'in-opencode': { type: 'local', command: [command, ...args] } } }],
    custom: [
      'custom.yaml',
      `servers:\n  in-custom:\n    name: A server of our own\n    connection:\n      type: stdio\n      command: ${command}\n      args: ${JSON.stringify(args)}\n    tools:\n      - name: declared\n        description: Known without a start\n`,
    ],
  }
  for (const [path, content] of Object.values(files)) home.write(path, content)
  home.write('second.json', {
    mcpServers: { 'in-cursor': line('other'), 'switched-off': { ...line('a'), disabled: true } },
  })
  // Another program in a folder named `toolcrib`.
  const namesake = home.write(
    'toolcrib/server.mjs',
    `import ${JSON.stringify(pathToFileURL(fixturePath('notes')).href)}\n`,
  )
  const { gateway, client } = useClient({
    home,
    config: {
      discovery: {
        listWaitMs: 30_000,
        servers: [
          { name: 'in-zed', description: 'Ours comes first', ...line('first') },
          { name: 'off', ...line('a'), enabled: false },
          { name: 'of-our-name', command: process.execPath, args: [namesake] },
        ],
        sources: [
          ...Object.entries(files).map(([type, [path]]) => ({ type, path: `~/${path}` })),
          { type: 'windsurf', path: './second.json' },
          { type: 'custom', path: './not-there.yaml' },
        ],
      },
    },
  })
  const names = Object.keys(files).map((type) => `in-${type.replace('docker-mcp', 'docker').replace('claude-', '')}`)

  it('the gateway imports the files of all supported clients', async () => {
    covers('CF-4', 'CO-1', 'CO-2', 'CO-3', 'CF-6')
    expect(Object.keys(files).toSorted()).toEqual([...importers.keys()].toSorted())
    const served = (await serversOf(client())).filter((name) => name !== 'of-our-name')
    expect(served.toSorted()).toEqual([...names, 'in-cursor-windsurf', 'in-zed-zed'].toSorted())
  })

  it('the gateway can call the tools of imported servers', async () => {
    covers('CF-4')
    for (const server of names.filter((name) => !['in-zed', 'in-custom', 'in-cursor'].includes(name))) {
      expect(await client().run({ server, tool: 'a' }), server).toMatchObject({ content: [{ text: 'called a' }] })
    }
  })

  it("the gateway applies the clients' allow and deny lists", async () => {
    covers('CF-5')
    expect(await toolNamesOf(client(), 'in-windsurf')).toEqual(['a'])
    expect(await toolNamesOf(client(), 'in-codex')).toEqual(['a'])
    expect(await toolNamesOf(client(), 'in-gemini')).toEqual(['a'])
    expect(await client().ask('execute_tool', { tool: 'in-windsurf:b' })).toMatchObject({
      error: { code: 'TOOL_DISABLED' },
    })
    expect(await serversOf(client())).not.toContain('switched-off')
  })

  it('the gateway prefers the servers of our config, and renames a second server with the same name after its client', async () => {
    covers('CF-8')
    expect(await toolNamesOf(client(), 'in-zed')).toEqual(['first'])
    expect(await toolNamesOf(client(), 'in-cursor-windsurf')).toEqual(['other'])
    expect(gateway().stderr).toMatch(
      /zed\.json context_servers\.in-zed: 'in-zed' is a different server from 'in-zed' in .*gateway\.json.*'in-zed-zed'/,
    )
    expect(gateway().stderr).toMatch(/second\.json mcpServers\.in-cursor: .*it is served as 'in-cursor-windsurf'/)
    expect(gateway().stderr).toMatch(/not-there\.yaml: The source 'custom' has no file here/)
  })

  it('the gateway accepts a list of servers, and does not serve a disabled one', async () => {
    covers('CF-1')
    expect(await serversOf(client())).toContain('of-our-name')
    expect(await client().ask('list_tools', { server: 'off' })).toMatchObject({ error: { code: 'SERVER_NOT_FOUND' } })
  })

  it('the gateway serves another program in a folder named `toolcrib`', async () => {
    covers('CF-9')
    expect(await serversOf(client())).toContain('of-our-name')
    expect(await toolNamesOf(client(), 'of-our-name')).toEqual(['add', 'list'])
  })

  it('the gateway shows declared tools without starting their server', async () => {
    covers('CO-2')
    expect(await client().ask('list_mcp_servers', { search: 'in-custom' })).toMatchObject({
      servers: [{ name: 'in-custom', description: 'A server of our own', toolCount: 1, state: 'known' }],
    })
    expect(await client().ask('search_tools', { query: 'known without a start', limit: 1 })).toMatchObject({
      results: [{ server: 'in-custom', tool: 'declared' }],
    })
  })

  it('a server that refers to an unset variable fails, and the reason names the variable', async () => {
    covers('CF-3')
    await client().ask('list_tools', { server: 'in-cursor' })
    expect(await client().ask('list_mcp_servers', { search: 'in-cursor' })).toMatchObject({
      servers: [
        { name: 'in-cursor', status: 'disconnected', reason: expect.stringContaining('NOT_SET') },
        { name: 'in-cursor-windsurf' },
      ],
    })
  })
})

describe('without --config', () => {
  it("the gateway uses the first config of the user that exists, then the files of the user's clients, and no unapproved file", async () => {
    covers('CO-4', 'CO-6', 'CF-7')
    const home = homeWith('project')
    const declared = (name: string) => ({ discovery: { servers: { [name]: { ...missing, tools: [{ name: 'x' }] } } } })
    home.write('project/toolcrib.config.yaml', `discovery: ${JSON.stringify(declared('project-file').discovery)}`)
    const places = [
      home.write('.toolcrib/config.json', declared('home-folder')),
      home.write('config/toolcrib/config.json', declared('xdg-folder')),
    ]
    home.write('.cursor/mcp.json', { mcpServers: { 'of-the-user': line('a') } })
    home.write('project/.cursor/mcp.json', { mcpServers: { 'of-the-project': line('b') } })
    const gateway = await gatewayForTest({ home, args: ['serve'], cwd: 'project' })
    const client = await gateway.connect()
    for (const expected of ['home-folder', 'xdg-folder', 'of-the-user']) {
      await expect.poll(() => serversOf(client)).toEqual([expected])
      const next = places.shift()
      if (next !== undefined) rmSync(next)
    }
    rmSync(home.at('.cursor'), { recursive: true })
    await expect.poll(() => serversOf(client)).toEqual([])
    expect(await client.ask('search_tools', { query: 'anything' })).toEqual({
      results: [],
      // The project's file still exists, but it is not approved.
      reason: expect.stringMatching(/^No server is in use\. .*`toolcrib trust`/),
    })
    expect((await client.list()).map(({ name }) => name)).toHaveLength(5)
  })

  it('the program without arguments serves the gateway if its stdin is a pipe', async () => {
    covers('GO-1', 'CO-5')
    const home = homeWith('project')
    const config = { discovery: { servers: { typed: { ...missing, tools: [{ name: 'x' }] } } } }
    const typed = `import { defineConfig } from 'toolcrib'\nconst config: object = ${JSON.stringify(config)}\nexport default defineConfig(config)\n`
    home.write('.toolcrib/config.ts', typed)
    const gateway = await gatewayForTest({ home, args: [], cwd: 'project' })
    const client = await gateway.connect({ era: 'modern' })
    expect(await serversOf(client)).toEqual(['typed'])
  })

  function homeWith(folder: string) {
    const home = homeForTest()
    mkdirSync(home.at(folder), { recursive: true })
    return home
  }
})

describe('a reference', () => {
  it('the gateway replaces a reference with the value of its variable or its default, in env, args, urls and headers', async () => {
    covers('CF-2', 'UP-1')
    const modern = await modernOverHttp()
    const gateway = await gatewayForTest({
      env: { KEY: 'key-of-mine', KIND: 'diary', PORT: new URL(modern.url).port, TOKEN: 'token-of-mine' },
      config: {
        discovery: {
          listWaitMs: 30_000,
          servers: {
            everything: {
              connection: {
                ...everything().connection,
                env: { A: `\${KEY}`, B: `<\${KEY}|\${NOT_SET:-a default}>`, C: `$\${KEY}` },
              },
            },
            notes: fixtureServer('notes', `the \${KIND}`),
            modern: {
              connection: {
                type: 'http',
                url: `http://127.0.0.1:\${PORT}/mcp`,
                headers: { Authorization: `Bearer \${TOKEN}`, 'X-Region': `\${REGION:-none}` },
              },
            },
          },
        },
      },
    })
    const client = await gateway.connect()
    const { structuredContent } = await client.run({ tool: 'get-env' })
    expect(structuredContent).toMatchObject({
      result: { A: 'key-of-mine', B: '<key-of-mine|a default>', C: `\${KEY}` },
    })
    expect(await client.ask('get_tool_details', { tool: 'notes:add' })).toMatchObject({
      description: 'Add a note to the the diary.',
    })
    expect(await client.run({ tool: 'where', arguments: { region: 'here' } })).toMatchObject({
      structuredContent: { result: { region: 'here' } },
    })
    expect(modern.headers.at(-1)).toMatchObject({ authorization: 'Bearer token-of-mine', 'x-region': 'none' })
  })
})

describe('the gateway', () => {
  it('the gateway never imports itself, by command or by address', async () => {
    covers('CF-9')
    const port = await freePort()
    const home = homeForTest()
    home.write('cursor.json', {
      mcpServers: {
        'by-npx': { command: 'npx', args: ['-y', 'toolcrib'] },
        'by-name': { command: 'toolcrib', args: ['serve'] },
        'by-address': { url: `http://localhost:${port}/mcp` },
        other: line('a'),
      },
    })
    const gateway = await gatewayForTest({
      door: 'http',
      args: ['serve', '--http', '--port', String(port), '--config', home.config],
      config: { discovery: { sources: [{ type: 'cursor', path: home.at('cursor.json') }] } },
      home,
    })
    expect(await serversOf(await gateway.connect())).toEqual(['other'])
  })
})

describe('a wrong config', () => {
  // Uses HTTP, because there the last line on stdout shows that all problems are reported.
  const { gateway, client } = useClient({
    door: 'http',
    config: {
      discovery: {
        cache: { ttl: 'an hour' },
        servers: {
          good: { ...missing, tools: [{ name: 'x' }] },
          bad: { command: 7 },
          worse: { connection: { type: 'telepathy', command: 'x' } },
        },
        toolRules: [{ pattern: ['x'], enabled: 'perhaps' }],
      },
    },
  })
  const told = () => gateway().stderr.split('\n').filter(Boolean)

  it('the gateway reports a config error with the file, the path in it, and the expected and found values', () => {
    covers('CF-12', 'ER-3')
    for (const line of [
      /gateway\.json discovery\.cache\.ttl: Expected a number, found a string$/,
      /gateway\.json discovery\.servers\.bad\.command: Expected a string, found a number$/,
      /gateway\.json discovery\.servers\.worse\.connection\.type: Expected 'stdio', 'http' or 'sse', found 'telepathy'$/,
      /gateway\.json discovery\.toolRules\[0\]\.enabled: Expected true or false, found a string$/,
    ]) {
      expect(told()).toContainEqual(expect.stringMatching(line))
    }
  })

  it('the gateway reports each config error once', () => {
    covers('CF-12')
    const lines = told()
    expect(lines.length).toBeGreaterThanOrEqual(4)
    expect(lines.filter((line, at) => lines.indexOf(line) !== at)).toEqual([])
  })

  it('the gateway uses the valid parts of a config with an error', async () => {
    covers('CF-12', 'ER-3')
    expect(await serversOf(client())).toEqual(['good'])
  })

  it('the gateway reports an unreadable rule as a config error', async () => {
    covers('CF-12', 'ER-3')
    const config = { discovery: { servers: { a: missing }, toolRules: [{ pattern: ['/(/', 'y'], enabled: false }] } }
    const { stderr } = await gatewayForTest({ door: 'http', config })
    expect(stderr).toMatch(/toolRules\[0\]|rule 1\b/i)
  })

  it('the gateway reports a missing config file and does not start', async () => {
    covers('CF-12')
    const args = ['serve', '--http', '--port', '0', '--config', 'not-there.json']
    await expect(gatewayForTest({ door: 'http', args })).rejects.toThrow(/There is no config file .*not-there\.json/)
  })

  it('the gateway reports a config file that is not JSON and serves no server', async () => {
    covers('CF-12', 'ER-3')
    const broken = await gatewayForTest({ door: 'http', config: '{ "discovery": {\n  "servers": [,] }' })
    expect(broken.stderr).toMatch(/gateway\.json/)
    expect(await serversOf(await broken.connect())).toEqual([])
  })
})
