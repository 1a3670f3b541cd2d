// The limits of an approved project config beside the user's config: variables, rules, settings and sources.

import { rmSync, symlinkSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { connect, covers, run } from './harness.ts'
import { list, listenerForTest, markedHome, namedTools, reference, servers, writeIn } from './trust.fixture.ts'

// Each test runs the program many times.
vi.setConfig({ testTimeout: 240_000 })

describe('variables of the user', () => {
  it('variables are sent to an address of a project config only after its approval', async () => {
    covers('CLI-TRUST-SECRET')
    const home = markedHome()
    const listener = await listenerForTest()
    const headers = { Authorization: `Bearer ${reference('SECRET')}` }
    writeIn(home.cwd, 'toolcrib.config.json', servers({ remote: { url: listener.url, headers } }))
    const env = { SECRET: 'hunter2-hunter2' }
    const commands = [['list'], ['search', 'x'], ['doctor'], ['tools', 'remote'], ['trust'], ['serve']]
    for (const words of commands) {
      const { stdout, stderr } = await run(home, words, { env })
      expect(stdout + stderr).not.toContain('hunter2')
    }
    expect(listener.requests).toEqual([])
    const shown = await run(home, ['trust', '--yes'], { env })
    expect(shown.stdout).toContain(listener.url)
    expect(shown.stdout).toContain('SECRET → remote headers.Authorization')
    expect(shown.stdout).not.toContain('hunter2')
    await run(home, ['doctor'], { env })
    expect(listener.requests.length).toBeGreaterThan(0)
    expect(listener.requests[0]?.authorization).toBe('Bearer hunter2-hunter2')
  })

  it('variables do not resolve for the servers of approved code if its text does not name them', async () => {
    covers('CLI-TRUST-SECRET')
    const home = markedHome()
    const listener = await listenerForTest()
    writeIn(
      home.cwd,
      'toolcrib.config.mjs',
      `const hidden = '$' + '{SECRET}', open = ${JSON.stringify(reference('OPEN'))}
export default { discovery: { servers: {
  sly: process.env.SECRET ? { url: ${JSON.stringify(listener.url)}, headers: { A: hidden } } : { command: 'x' },
} } }
`,
    )
    const env = { SECRET: 'hunter2-hunter2', OPEN: 'open' }
    const refused = await run(home, ['trust', '--yes'], { env })
    expect(refused).toMatchObject({ code: 2, stdout: expect.stringContaining('may refer to: OPEN\n') })
    expect((await run(home, ['trust', '--yes'])).code).toBe(0)
    await run(home, ['doctor'], { env })
    expect(listener.requests).toEqual([])
    const { stdout, code } = await run(home, ['config', 'validate', '--json'], { env })
    expect(code).toBe(2)
    const { errors } = JSON.parse(stdout)
    expect(errors).toMatchObject([{ path: 'discovery.servers.sly' }])
    expect(errors[0].message).toMatch(/'SECRET', which was not approved.*toolcrib trust/)
  })

  it('variables of an env file are used only while the file is as it was approved', async () => {
    covers('CLI-TRUST-SECRET')
    const home = markedHome()
    const env = writeIn(home.cwd, '.env', 'A=1\n')
    writeIn(home.cwd, '.vscode/mcp.json', JSON.stringify({ servers: { v: { ...namedTools('a'), envFile: env } } }))
    const { stdout } = await run(home, ['trust', '--yes'])
    expect(stdout).toContain('The approval covers: ~/project/.env')
    expect(await list(home)).toBe('v\n')
    rmSync(env)
    symlinkSync(home.write('.config/toolcrib/secrets.env', 'SECRET=x\n'), env)
    expect(await list(home)).toBe('')
  })
})

describe("the user's config", () => {
  const toolRules = [{ pattern: 'danger', enabled: false }]

  it("the user's config keeps its servers and rules; a project can add servers and disable tools", async () => {
    covers('CLI-TRUST-RULES')
    const home = markedHome()
    home.write('.config/toolcrib/config.json', {
      discovery: { servers: { mine: namedTools('danger', 'safe', 'other') }, toolRules },
    })
    const file = writeIn(
      home.cwd,
      '.toolcrib/config.json',
      servers(
        { mine: { command: 'replaced' }, theirs: namedTools('danger', 'more') },
        {
          toolRules: [
            { pattern: '*', enabled: true },
            { pattern: ['danger'], enabled: true },
            { pattern: 'other', enabled: false },
          ],
        },
      ),
    )
    await run(home, ['trust', '--yes'])
    expect(await list(home)).toBe('mine\nmine-project\ntheirs\n')
    const names = async (server: string) => (await run(home, ['tools', server, '--quiet'])).stdout
    expect(await names('mine')).toBe('safe\n')
    expect(await names('theirs')).toBe('more\n')
    const call = async (server: string, tool: string) =>
      JSON.parse((await run(home, ['execute', server, tool, '--json'])).stdout)
    expect(await call('theirs', 'danger')).toMatchObject({
      error: { code: 'TOOL_DISABLED', message: "'theirs:danger' is disabled by rule 1 of toolRules" },
    })
    expect(await call('mine', 'other')).toMatchObject({
      error: {
        code: 'TOOL_DISABLED',
        message: "'mine:other' is disabled by rule 3 of toolRules of the project's config",
      },
    })
    const printed = await run(home, ['execute', 'mine', 'other'])
    expect(printed.stderr).toContain('Change rule 3 of toolRules in ~/project/.toolcrib/config.json')
    const validated = (await run(home, ['config', 'validate', '--json'])).stdout
    expect(validated).toContain("'mine-project'")
    expect(validated).toContain(file)
    const shown = await run(home, ['config', 'show'])
    expect(shown.stdout).toContain('Tool Rules of the project (3):')
  })

  it.each([
    ['http', { port: 1, tokens: { evil: 'known' } }],
    ['audit', { file: '/dev/null' }],
    ['store', { type: 'memory' }],
    ['limits', { callTimeoutMs: 1 }],
  ])(
    "%s of a project does not change the user's config, and the servers of that project are not used",
    async (key, value) => {
      covers('CLI-TRUST-KEYS')
      const home = markedHome()
      home.write('.config/toolcrib/config.json', { discovery: { servers: { mine: namedTools('a') } } })
      const config = { discovery: { servers: { theirs: { command: 'x' } } }, [key]: value }
      const file = writeIn(home.cwd, 'toolcrib.config.json', JSON.stringify(config))
      const refused = await run(home, ['trust', '--yes'])
      expect(refused.code).toBe(2)
      expect(refused.stdout).toContain(`error: ${key}: A project cannot set '${key}'`)
      // For code, the config is known only after it runs.
      rmSync(file)
      const text = `export default process.env.WRONG ? ${JSON.stringify(config)} : {}\n`
      const code = writeIn(home.cwd, 'toolcrib.config.mjs', text)
      const env = { WRONG: '1' }
      const ran = await run(home, ['trust', '--yes'], { env })
      expect(ran).toMatchObject({ code: 2, stdout: expect.stringContaining(`A project cannot set '${key}'`) })
      // Approved code can still return another config later.
      expect((await run(home, ['trust', '--yes'])).code).toBe(0)
      expect((await run(home, ['list', '--quiet'], { env })).stdout).toBe('mine\n')
      const { errors } = JSON.parse((await run(home, ['config', 'validate', '--json'], { env })).stdout)
      expect(errors).toMatchObject([{ file: code, path: key, severity: 'error' }])
      const sources = await run(home, ['config', 'sources'], { env })
      expect(sources.stdout).toContain('toolcrib.config.mjs) - has errors')
    },
  )

  it("the user's config decides strategy, enabled and passthrough, and trust warns about a project that sets them", async () => {
    covers('CLI-TRUST-KEYS')
    const home = markedHome()
    const more = { strategy: 'individual', enabled: false, passthrough: true }
    writeIn(home.cwd, 'toolcrib.config.json', servers({ theirs: namedTools('a') }, more))
    const { stdout, code } = await run(home, ['trust', '--yes'])
    expect(code).toBe(0)
    for (const key of Object.keys(more)) expect(stdout).toContain(`'${key}' is ignored in a project config`)
    expect(await list(home)).toBe('theirs\n')
    const shown = JSON.parse((await run(home, ['config', 'show', '--json'])).stdout)
    expect(shown).toMatchObject({ strategy: 'gateway', enabled: true, project: { state: 'used', servers: 1 } })
  })

  it("a project adds no servers while the user's config has an error, because the user's rules might disable them", async () => {
    covers('CLI-TRUST-RULES')
    const home = markedHome()
    writeIn(home.cwd, 'toolcrib.config.json', servers({ theirs: namedTools('danger') }))
    await run(home, ['trust', '--yes'])
    const served = async () => {
      const client = await connect(home)
      const answer = await client.callTool({ name: 'list_mcp_servers', arguments: {} })
      await client.close()
      return JSON.stringify(answer)
    }
    expect(await served()).toContain('theirs')
    home.write('.config/toolcrib/config.json', '{ "discovery": { "toolRules": [')
    expect(await served()).not.toContain('theirs')
  })

  it('a config given with --config is the only one that is used', async () => {
    covers('CLI-TRUST-CODE')
    const home = markedHome()
    writeIn(home.cwd, 'toolcrib.config.mjs', home.code())
    await run(home, ['trust', '--yes'])
    const named = home.write('named.json', servers({ named: { command: 'x' } }))
    expect((await run(home, ['list', '--quiet', '--config', named])).stdout).toBe('named\n')
    expect((await run(home, ['status', '--config', named])).stdout).not.toContain('toolcrib trust')
  })

  it('a config in the home folder does not count as the config of a project', async () => {
    covers('CLI-TRUST-CODE')
    const home = markedHome()
    home.write('.toolcrib/config.json', servers({ mine: { command: 'x' } }))
    expect((await run(home, ['list', '--quiet'], { cwd: home.folder })).stdout).toBe('mine\n')
  })
})

describe('a source that a project names', () => {
  it('a source that a project names needs its own approval', async () => {
    covers('CLI-TRUST-ASK')
    const home = markedHome()
    const more = writeIn(home.cwd, 'more.json', JSON.stringify({ mcpServers: { further: { command: 'x' } } }))
    writeIn(home.cwd, 'toolcrib.config.json', servers({}, { sources: [{ type: 'cursor', path: './more.json' }] }))
    await run(home, ['trust', 'toolcrib.config.json', '--yes'])
    expect(await list(home)).toBe('')
    const { stdout } = await run(home, ['trust', '--yes', '--json'])
    expect(JSON.parse(stdout).approved).toEqual([more])
    expect(await list(home)).toBe('further\n')
  })
})

describe('a custom importer', () => {
  /** The text of a config module with the importer `acme`, which reads the file `acme.json` of the project. */
  const acmeConfig = (first: string) => `${first}
import { defineImporter } from 'toolcrib'
const acme = defineImporter({
  name: 'acme',
  paths: ({ cwd }) => [{ path: \`\${cwd}/acme.json\`, scope: 'project' }],
  plan: ({ servers }) => ({ sections: [{ path: ['servers'], entries: servers }] }),
})
export default { plugins: { importers: [acme] }, discovery: { sources: [{ type: 'acme', scope: 'project' }] } }
`

  it("trust approves a file of the project that an importer of the user's config finds", async () => {
    covers('CLI-TRUST-ASK')
    const home = markedHome()
    const file = writeIn(home.cwd, 'acme.json', JSON.stringify({ servers: { theirs: namedTools('a') } }))
    home.write('.config/toolcrib/config.mjs', acmeConfig(''))
    expect((await run(home, ['list'])).stdout).toContain('toolcrib trust')
    const { stdout } = await run(home, ['trust', '--yes', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ files: [{ source: 'acme', state: 'approved' }], approved: [file] })
    expect(await list(home)).toBe('theirs\n')
    expect((await run(home, ['trust', '--list'])).stdout).toContain('✓ ~/project/acme.json')
    writeIn(home.cwd, 'acme.json', JSON.stringify({ servers: { theirs: namedTools('a', 'b') } }))
    expect((await run(home, ['trust', 'acme.json'])).stdout).toContain('changed since you approved it')
  })

  it("an importer in a project's config is not used, and trust does not approve such a config", async () => {
    covers('CLI-TRUST-KEYS')
    const home = markedHome()
    writeIn(home.cwd, 'acme.json', JSON.stringify({ servers: { theirs: namedTools('a') } }))
    writeIn(home.cwd, 'toolcrib.config.mjs', acmeConfig(home.code().split('export')[0] ?? ''))
    const { stdout } = await run(home, ['trust'])
    expect(home.hasRun()).toBe(false)
    expect(stdout).not.toContain('acme.json')
    const approved = await run(home, ['trust', '--yes'])
    expect(approved).toMatchObject({ code: 2, stdout: expect.stringContaining("A project cannot set 'plugins'") })
    expect(approved.stdout).not.toContain('acme.json')
    expect(await list(home)).toBe('')
  })
})
