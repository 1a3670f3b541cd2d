// list, search, tools and inspect with servers that are not running: they answer from manifests and start no server.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StoredGateway, storeGateway } from '../../fixtures/stored-gateway.ts'
import { type CliHome, covers, createHome, hasTerminal, run, runOnTerminal, start } from './harness.ts'

const issue = {
  repo: { type: 'string', description: 'Repository name (owner/repo)' },
  title: { type: 'string', description: 'Issue title' },
}
const body = { type: 'string', description: 'Issue body (markdown)' }
const servers = [
  {
    name: 'github',
    instructions: 'GitHub API integration',
    tools: [
      {
        name: 'create_issue',
        description: 'Create a new GitHub issue in a repository',
        inputSchema: {
          type: 'object',
          properties: {
            ...issue,
            body,
            labels: { type: 'array', items: { type: 'string' }, maxItems: 10 },
            state: { type: 'string', enum: ['open', 'closed'], default: 'open' },
            options: { type: 'object', properties: { depth: { type: 'integer', minimum: 1, maximum: 5, default: 3 } } },
          },
          required: ['repo', 'title'],
        },
      },
      { name: 'update_issue', description: 'Update an existing GitHub issue', inputSchema: { type: 'object' } },
      { name: 'delete_repo', description: 'Delete a GitHub repository', inputSchema: { type: 'object' } },
    ],
  },
  {
    name: 'jira',
    instructions: 'Tickets \u001b[31mof\u001b[0m Jira',
    tools: [{ name: 'create_ticket', description: 'Create a new Jira ticket', inputSchema: { type: 'object' } }],
  },
]

describe('with cached manifests', () => {
  let home: CliHome
  let stored: StoredGateway
  const cli = (...args: readonly string[]) => run(home, [...args, '--config', stored.config])

  beforeAll(async () => {
    home = createHome()
    stored = await storeGateway(home.folder, servers)
    const config = JSON.parse(readFileSync(stored.config, 'utf8'))
    config.discovery.toolRules = [
      { pattern: ['*delete*'], enabled: false, tags: ['dangerous'] },
      { pattern: ['*issue*'], tags: ['github', 'issues'] },
    ]
    writeFileSync(stored.config, JSON.stringify(config))
    home = { ...home, env: { ...home.env, XDG_CACHE_HOME: stored.cacheHome, XDG_STATE_HOME: stored.stateHome } }
  })
  afterAll(async () => {
    expect(existsSync(stored.mark)).toBe(false)
    await home.remove()
  })

  it('list prints servers in a fixed format, without terminal sequences from a server', async () => {
    covers('CLI-LIST', 'CLI-LIST-STATUS', 'CLI-CACHED')
    const { stdout, stderr, code } = await cli('list', '--status')
    expect(stdout).toBe(`MCP Servers (2 configured):

✓ github (2 tools)
  GitHub API integration
  Status: Known (not running)

✓ jira (1 tool)
  Tickets of Jira
  Status: Known (not running)
`)
    expect([stderr, code]).toEqual(['', 0])
  })

  it('list --json prints the servers, and list --quiet only their names', async () => {
    const { stdout } = await cli('list', '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      servers: [
        { name: 'github', toolCount: 2, status: 'known' },
        { name: 'jira', toolCount: 1 },
      ],
      total: 2,
    })
    expect((await cli('list', '--quiet')).stdout).toBe('github\njira\n')
  })

  it('list --tools prints the numbers of disabled tools and of tokens', async () => {
    covers('CLI-LIST-TOOLS')
    expect((await cli('list', '--tools')).stdout).toMatch(/✓ github \(2 tools, 1 disabled, \d+ tokens\)/)
  })

  it('search prints results in a fixed format', async () => {
    covers('CLI-SEARCH', 'CLI-CACHED')
    const { stdout, stderr, code } = await cli('search', 'existing github issue')
    expect(stdout.replaceAll(/\d+% match/g, 'N% match')).toBe(`Search results for "existing github issue" (2 found):

1. github:update_issue (N% match)
   Update an existing GitHub issue
   Tags: github, issues

2. github:create_issue (N% match)
   Create a new GitHub issue in a repository
   Tags: github, issues
`)
    expect([stderr, code]).toEqual(['', 0])
  })

  it('search takes several words, a server and a limit', async () => {
    covers('CLI-SEARCH-SERVER', 'CLI-SEARCH-LIMIT')
    const { stdout } = await cli('search', 'create', 'something', '--server', 'github', '--limit', '1', '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      query: 'create something',
      results: [{ server: 'github', tool: 'create_issue', relevance: expect.any(Number) }],
    })
  })

  it('search prints why it found nothing, without the names of disabled tools, and exits with 2', async () => {
    covers('CLI-SEARCH-EXIT')
    const { stdout, code } = await cli('search', 'delete')
    expect(code).toBe(2)
    expect(stdout).toBe(
      'Search results for "delete" (0 found)\n\n1 matching tool is disabled by rule 1. To enable it, change toolRules in ~/config.json.\n',
    )
    expect((await cli('search', 'zzqqxx', '--json')).code).toBe(2)
  })

  it('tools prints tools in a fixed format, and disabled ones only with --all', async () => {
    covers('CLI-TOOLS', 'CLI-TOOLS-ALL', 'CLI-TOOLS-TAGS', 'CLI-CACHED')
    const { stdout, code } = await cli('tools', 'github', '--all', '--tags')
    expect(code).toBe(0)
    expect(stdout).toBe(`Tools from github (2 enabled, 1 disabled):

✓ create_issue
  Create a new GitHub issue in a repository
  Tags: github, issues

✓ update_issue
  Update an existing GitHub issue
  Tags: github, issues

✗ delete_repo (disabled)
  Delete a GitHub repository
  Tags: dangerous
`)
    const some = await cli('tools', 'github')
    expect(some.stdout).toMatch(/^Tools from github \(2 enabled\):\n/)
    expect(some.stdout).not.toMatch(/delete_repo|Tags|disabled/)
    expect(JSON.parse((await cli('tools', 'github', '--json')).stdout)).toMatchObject({
      server: 'github',
      tools: [{ name: 'create_issue', enabled: true }, { name: 'update_issue' }],
    })
  })

  it('inspect prints parameters in a fixed format, with nesting, choices, defaults and limits', async () => {
    covers('CLI-INSPECT', 'CLI-INSPECT-NESTED', 'CLI-INSPECT-EXAMPLES')
    const { stdout, code } = await cli('inspect', 'github', 'create_issue', '--examples')
    expect(code).toBe(0)
    expect(stdout).toBe(`Tool: github:create_issue

Description:
  Create a new GitHub issue in a repository

Parameters:
  repo (string, required)
    Repository name (owner/repo)

  title (string, required)
    Issue title

  body (string, optional)
    Issue body (markdown)

  labels (array of string, optional, at most 10 items)

  state (string, optional, default "open")
    One of: "open", "closed"

  options (object, optional)
    depth (integer, optional, 1 to 5, default 3)

Examples:
  Smallest call:
    repo: "example"
    title: "example"
`)
  })

  it('inspect takes server:tool in one word, and prints the schema as JSON', async () => {
    covers('CLI-PAIR')
    const { stdout, code } = await cli('inspect', 'github:create_issue', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      server: 'github',
      tool: 'create_issue',
      parameters: [{ name: 'repo', type: 'string', required: true }, { name: 'title' }, {}, {}, {}, {}],
      schema: { type: 'object', required: ['repo', 'title'] },
      examples: [{ parameters: { repo: expect.any(String), title: expect.any(String) } }],
    })
  })

  it.each([
    [['tools', 'githb'], 2, "No server named 'githb'", "Did you mean 'github'?"],
    [['search', 'x', '--server', 'nope'], 2, "No server named 'nope'", 'toolcrib list'],
    [['login', 'nope'], 2, "No server named 'nope'", 'toolcrib list'],
    [['logout', 'nope'], 2, "No server named 'nope'", 'toolcrib list'],
    [
      ['inspect', 'github', 'create_isue'],
      2,
      "Server 'github' has no tool 'create_isue'",
      "Did you mean 'create_issue'",
    ],
    [['inspect', 'github', 'delete_repo'], 4, "'github:delete_repo' is disabled by rule 1", 'toolRules'],
    [['inspect', 'github'], 1, "Name a tool of 'github'", 'toolcrib tools github --config ~/config.json'],
    [['search'], 1, "Missing required argument 'query'", 'toolcrib search --help'],
    [['search', '/del(/'], 1, "Pattern '/del(/' cannot be used", 'search by words'],
    [['search', 'x', '--limit', '0'], 1, '--limit takes a number from 1 to 100', 'toolcrib search --help'],
    [['list', '--bogus'], 1, "Unknown option '--bogus'", 'toolcrib list --help'],
    [['lst'], 1, "Unknown command 'lst' (Did you mean list?)", 'toolcrib --help'],
    [['list', 'extra'], 1, 'Too many arguments', 'toolcrib list --help'],
  ])('%j fails with exit code %i, the reason and the next step', async (args, code, what, next) => {
    const plain = await cli(...args)
    expect(plain).toMatchObject({ code, stdout: '' })
    expect(plain.stderr).toContain(`Error: ${what}`)
    expect(plain.stderr.split('Next:')[1]).toContain(next)
    const json = await cli(...args, '--json')
    expect(json.code).toBe(code)
    expect(JSON.parse(json.stdout)).toMatchObject({ success: false, error: { code: expect.any(String) } })
  })

  it('list exits with 2 for a configuration that is missing or invalid', async () => {
    const missing = await run(home, ['list', '--config', 'nowhere.json'])
    expect(missing).toMatchObject({ code: 2, stdout: '' })
    expect(missing.stderr).toContain('nowhere.json')
    const wrong = home.write('wrong.json', { discovery: { servers: { a: { comand: 'x' } } } })
    expect((await run(home, ['list', '--config', wrong])).code).toBe(2)
  })

  it('list prints colours in a pipe only with FORCE_COLOR', async () => {
    expect((await cli('list')).stdout).not.toContain('\u001b')
    const forced = await run(home, ['list', '--config', stored.config], { env: { FORCE_COLOR: '1' } })
    expect(forced.stdout).toContain('\u001b[32m✓')
  })

  it('list exits with 0 if the reader closes the pipe', async () => {
    const child = start(home, ['list', '--config', stored.config])
    child.stdout?.destroy()
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0)
  })

  describe.skipIf(!hasTerminal)('on a terminal', () => {
    it('list prints colours on a terminal, except with NO_COLOR', async () => {
      covers('CLI-NO-COLOR')
      const args = ['list', '--config', stored.config]
      expect((await runOnTerminal(home, args)).stdout).toContain('\u001b[32m✓')
      expect((await runOnTerminal(home, args, { env: { NO_COLOR: '1' } })).stdout).not.toContain('\u001b')
    })

    it('--help wraps lines at the width of the terminal', async () => {
      covers('CLI-WIDTH')
      const { stdout } = await runOnTerminal(home, ['--help'])
      expect(stdout).toContain('Usage: toolcrib')
      expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
    })
  })
})
