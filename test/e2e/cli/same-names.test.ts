// Two different servers with one name: both are served and imported, each with its own environment and tool lists.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CliHome, covers, createHome, main, run, serverScript } from './harness.ts'

let home: CliHome
const read = (path: string) => readFileSync(join(home.folder, path), 'utf8')
const config = () => JSON.parse(read('.config/toolcrib/config.json'))
const stdout = async (...args: readonly string[]) => (await run(home, args)).stdout
const json = async (...args: readonly string[]) => JSON.parse(await stdout(...args, '--json'))

beforeEach(() => {
  home = createHome()
})
afterEach(() => home.remove())

const WINDSURF = '.codeium/windsurf/mcp_config.json'
const ofClient = (folder: string) => ({ mcpServers: { files: { command: 'serve-files', args: [folder] } } })
/** A real server that returns its environment. */
const ofStage = (STAGE: string, more: object = {}) => ({
  mcpServers: { db: { command: process.execPath, args: [serverScript('everything')], env: { STAGE }, ...more } },
})
const stageOf = async (server: string) => /STAGE"?: "?(\w+)/.exec(await stdout('execute', server, 'get-env'))?.[1]

describe('two clients with different servers of one name', () => {
  it('two servers with one name are both served, each with its own environment and disabled tools', async () => {
    covers('CLI-IMPORT-NAMES')
    home.write('.cursor/mcp.json', ofStage('production', { disabledTools: ['echo'] }))
    home.write(WINDSURF, ofStage('staging', { disabledTools: ['get-sum'] }))
    expect([await stageOf('db'), await stageOf('db-windsurf')]).toEqual(['production', 'staging'])
    const disabled = async (server: string) =>
      (await json('tools', server, '--all')).tools.flatMap((tool: { name: string; enabled: boolean }) =>
        tool.enabled ? [] : [tool.name],
      )
    expect([await disabled('db'), await disabled('db-windsurf')]).toEqual([['echo'], ['get-sum']])
  })

  it('list, with and without the cache, and config validate report a server that is served under another name', async () => {
    covers('CLI-IMPORT-NAMES')
    home.write('.cursor/mcp.json', ofClient('/one'))
    home.write(WINDSURF, ofClient('/two'))
    const note = `~/${WINDSURF} mcpServers.files: 'files' is a different server from 'files' in ~/.cursor/mcp.json mcpServers.files, so it is served as 'files-windsurf'`
    for (const _ of ['from the gateway', 'from the cache']) {
      const listed = await stdout('list')
      expect(listed).toContain('? files (tools not known yet)\n\n? files-windsurf (tools not known yet)\n')
      expect(listed.replaceAll('\n', ' ')).toContain(`Note: ${note}`)
    }
    expect((await json('list')).notes).toMatchObject([{ file: join(home.folder, WINDSURF), path: 'mcpServers.files' }])
    expect((await stdout('config', 'validate')).replaceAll(/\s+/g, ' ')).toContain("it is served as 'files-windsurf'")
  })

  it('import copies both servers of one name, and reports the new name before and after', async () => {
    covers('CLI-IMPORT-NAMES')
    home.write('.cursor/mcp.json', ofClient('/one'))
    home.write(WINDSURF, ofClient('/two'))
    const note = `Served as files-windsurf: files of windsurf (~/${WINDSURF}), because another file has a different server with this name.`
    expect(await stdout('import')).toContain(note)
    const ran = await stdout('import', '--write', '--yes')
    expect(ran).toContain(
      'Imported under another name, because a different server has the same name: files as files-windsurf',
    )
    const { files, 'files-windsurf': second } = config().discovery.servers
    expect([files.args, second.args]).toEqual([['/one'], ['/two']])
    const again = await json('import', '--write', '--yes')
    expect(again).toMatchObject({ written: false, added: [], notTaken: [] })
    expect(again.renamed).toEqual([
      { server: 'files', client: 'windsurf', file: join(home.folder, WINDSURF), as: 'files-windsurf' },
    ])
  })

  it('import copies one server if two clients have the same one', async () => {
    covers('CLI-IMPORT-NAMES')
    home.write('.cursor/mcp.json', ofClient('/one'))
    home.write(WINDSURF, ofClient('/one'))
    expect(await stdout('import', '--write', '--yes')).not.toMatch(/Left out|Not imported|Served as|Already/)
    expect(Object.keys(config().discovery.servers)).toEqual(['files'])
    expect(await stdout('import', '--write', '--yes')).toContain(
      'Nothing to write: the config has all of these servers.',
    )
  })
})

it('import --from keeps the name of a server if the other server of that name is not imported', async () => {
  covers('CLI-IMPORT-NAMES')
  home.write('.cursor/mcp.json', ofClient('/one'))
  home.write(WINDSURF, ofClient('/two'))
  const printed = await stdout('import', '--from', 'windsurf', '--write', '--yes')
  expect(printed).not.toContain('another name')
  expect(Object.keys(config().discovery.servers)).toEqual(['files'])
})

describe('install and import', () => {
  it('install keeps apart two servers that differ only in their env, and uninstall restores the file', async () => {
    covers('CLI-IMPORT-NAMES')
    home.write('.cursor/mcp.json', ofStage('production'))
    await run(home, ['install', 'cursor', '--yes'])
    const before = JSON.stringify(ofStage('staging', { disabledTools: ['echo'] }), null, 2)
    home.write(WINDSURF, before)
    const installed = await json('install', 'windsurf', '--yes', '--with-others')
    expect(installed).toMatchObject({
      replaces: ['db'],
      added: ['db-windsurf'],
      renamed: [{ server: 'db', client: 'windsurf', as: 'db-windsurf' }],
    })
    expect(config().discovery.toolRules).toEqual([{ server: 'db-windsurf', pattern: ['echo'], enabled: false }])
    expect([await stageOf('db'), await stageOf('db-windsurf')]).toEqual(['production', 'staging'])
    await run(home, ['uninstall', 'windsurf', '--yes'])
    expect(read(WINDSURF)).toBe(before)
    // Installing the same server again adds no third server.
    expect(await json('install', 'windsurf', '--yes', '--with-others')).toMatchObject({ replaces: ['db'], added: [] })
    expect(Object.keys(config().discovery.servers)).toEqual(['db', 'db-windsurf'])
  })

  it('install keeps the names that were served without a config', async () => {
    covers('CLI-IMPORT-NAMES')
    home.write('.cursor/mcp.json', ofClient('/one'))
    home.write(WINDSURF, ofClient('/two'))
    const names = await stdout('list', '--quiet')
    const printed = await stdout('install', 'windsurf', '--yes', '--with-others')
    expect(printed).toContain(
      'Imported under another name, because a different server has the same name: files as files-w',
    )
    expect((await stdout('list', '--quiet')).split('\n').toSorted()).toEqual(names.split('\n').toSorted())
    const shown = (await stdout('config', 'show', '--verbose')).replaceAll(/\s+/g, ' ')
    expect(shown).toContain('files-windsurf: serve-files /two')
    expect(shown).toContain('files: serve-files /one')
  })

  it('import gives two names to two different secrets that have the same variable name', async () => {
    covers('CLI-IMPORT-NAMES')
    const withToken = (API_TOKEN: string) => ({ mcpServers: { api: { command: 'serve-api', env: { API_TOKEN } } } })
    home.write('.cursor/mcp.json', withToken('first-secret-value'))
    home.write(WINDSURF, withToken('second-secret-value'))
    await run(home, ['import', '--write', '--yes'])
    const { api, 'api-windsurf': second } = config().discovery.servers
    expect(api.env.API_TOKEN).not.toBe(second.env.API_TOKEN)
    // The values are stored, so a second import finds nothing new.
    expect(await json('import', '--write', '--yes')).toMatchObject({ written: false, added: [] })
    const secrets = read('.config/toolcrib/secrets.env')
    expect(secrets).toContain('first-secret-value')
    expect(secrets).toContain('second-secret-value')
  })
})

describe('a server of the config that runs another gateway', () => {
  it('a server that runs another gateway is served, and does not start this gateway again', async () => {
    covers('CLI-IMPORT-NAMES')
    const gateway = (file: string) => ({
      command: process.execPath,
      args: [main, 'serve', '--config', join(home.folder, file)],
    })
    home.write('a.json', { discovery: { servers: { b: gateway('b.json'), itself: gateway('a.json') } } })
    home.write('b.json', { discovery: { servers: { a: gateway('a.json'), ...ofStage('inner').mcpServers } } })
    const a = ['--config', join(home.folder, 'a.json')]
    expect(await stdout('tools', 'b', ...a)).toContain('execute_tool')
    const inner = await json('execute', 'b', 'list_mcp_servers', '--args', '{}', ...a)
    expect(JSON.stringify(inner)).toContain('db')
    expect(inner.result.servers.map(({ name }: { name: string }) => name)).toEqual(['db'])
    const listed = (await stdout('list', ...a)).replaceAll(/\s+/g, ' ')
    expect(listed).toContain(
      "'itself' is left out: it starts a gateway with a config that this gateway, or a gateway above it",
    )
    expect((await stdout('config', 'validate', ...a)).replaceAll(/\s+/g, ' ')).toContain("'itself' is left out")
  })
})
