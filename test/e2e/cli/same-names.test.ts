// Two different servers of one name: both are served and taken over, each with its own environment and lists.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { covers, createHome, type Home, main, run, serverScript } from './harness.ts'

let home: Home
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
/** A real server that tells its environment. */
const ofStage = (STAGE: string, more: object = {}) => ({
  mcpServers: { db: { command: process.execPath, args: [serverScript('everything')], env: { STAGE }, ...more } },
})
const stageOf = async (server: string) => /STAGE"?: "?(\w+)/.exec(await stdout('execute', server, 'get-env'))?.[1]

describe('two clients with a different server of one name', () => {
  it('have both served: staging never answers for production', async () => {
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

  it('are said by list, also from what it keeps, and by config validate', async () => {
    covers('CLI-IMPORT-NAMES')
    home.write('.cursor/mcp.json', ofClient('/one'))
    home.write(WINDSURF, ofClient('/two'))
    const said = `~/${WINDSURF} mcpServers.files: 'files' is another server than 'files' in ~/.cursor/mcp.json mcpServers.files; it is served as 'files-windsurf'`
    for (const _ of ['made', 'kept']) {
      const listed = await stdout('list')
      expect(listed).toContain('? files (tools not known yet)\n\n? files-windsurf (tools not known yet)\n')
      expect(listed.replaceAll('\n', ' ')).toContain(`Note: ${said}`)
    }
    expect((await json('list')).notes).toMatchObject([{ file: join(home.folder, WINDSURF), path: 'mcpServers.files' }])
    expect((await stdout('config', 'validate')).replaceAll(/\s+/g, ' ')).toContain("it is served as 'files-windsurf'")
  })

  it('have both taken over by import, which says so before and after', async () => {
    covers('CLI-IMPORT-NAMES')
    home.write('.cursor/mcp.json', ofClient('/one'))
    home.write(WINDSURF, ofClient('/two'))
    const said = `Served as files-windsurf: files of windsurf (~/${WINDSURF}), because another client has a different server of this name.`
    expect(await stdout('import')).toContain(said)
    const ran = await stdout('import', '--write', '--yes')
    expect(ran).toContain(
      'Taken over under another name, because a different server has this one: files as files-windsurf',
    )
    const { files, 'files-windsurf': second } = config().discovery.servers
    expect([files.args, second.args]).toEqual([['/one'], ['/two']])
    const again = await json('import', '--write', '--yes')
    expect(again).toMatchObject({ written: false, added: [], notTaken: [] })
    expect(again.renamed).toEqual([
      { server: 'files', client: 'windsurf', file: join(home.folder, WINDSURF), as: 'files-windsurf' },
    ])
  })

  it('lose nothing where they mean the same', async () => {
    covers('CLI-IMPORT-NAMES')
    home.write('.cursor/mcp.json', ofClient('/one'))
    home.write(WINDSURF, ofClient('/one'))
    expect(await stdout('import', '--write', '--yes')).not.toMatch(/Left out|Not in it|Served as|Already/)
    expect(Object.keys(config().discovery.servers)).toEqual(['files'])
    expect(await stdout('import', '--write', '--yes')).toContain('Nothing to write: the config has all of them.')
  })
})

it('import --from keeps the name of a server whose namesake is not taken over', async () => {
  covers('CLI-IMPORT-NAMES')
  home.write('.cursor/mcp.json', ofClient('/one'))
  home.write(WINDSURF, ofClient('/two'))
  const said = await stdout('import', '--from', 'windsurf', '--write', '--yes')
  expect(said).not.toContain('another name')
  expect(Object.keys(config().discovery.servers)).toEqual(['files'])
})

describe('install', () => {
  it('keeps a server apart from one that differs only in its env, and the client gets both back', async () => {
    covers('CLI-IMPORT-NAMES')
    home.write('.cursor/mcp.json', ofStage('production'))
    await run(home, ['install', 'cursor', '--yes'])
    const before = JSON.stringify(ofStage('staging', { disabledTools: ['echo'] }), null, 2)
    home.write(WINDSURF, before)
    const installed = await json('install', 'windsurf', '--yes')
    expect(installed).toMatchObject({
      replaces: ['db'],
      added: ['db-windsurf'],
      renamed: [{ server: 'db', client: 'windsurf', as: 'db-windsurf' }],
    })
    expect(config().discovery.toolRules).toEqual([{ server: 'db-windsurf', pattern: ['echo'], enabled: false }])
    expect([await stageOf('db'), await stageOf('db-windsurf')]).toEqual(['production', 'staging'])
    await run(home, ['uninstall', 'windsurf', '--yes'])
    expect(read(WINDSURF)).toBe(before)
    // The same server once more is not a third one.
    expect(await json('install', 'windsurf', '--yes')).toMatchObject({ replaces: ['db'], added: [] })
    expect(Object.keys(config().discovery.servers)).toEqual(['db', 'db-windsurf'])
  })

  it('leaves the names as they were before there was a config', async () => {
    covers('CLI-IMPORT-NAMES')
    home.write('.cursor/mcp.json', ofClient('/one'))
    home.write(WINDSURF, ofClient('/two'))
    const names = await stdout('list', '--quiet')
    const said = await stdout('install', 'windsurf', '--yes')
    expect(said).toContain('Taken over under another name, because a different server has this one: files as files-w')
    expect((await stdout('list', '--quiet')).split('\n').toSorted()).toEqual(names.split('\n').toSorted())
    const shown = (await stdout('config', 'show', '--verbose')).replaceAll(/\s+/g, ' ')
    expect(shown).toContain('files-windsurf: serve-files /two')
    expect(shown).toContain('files: serve-files /one')
  })

  it('gives two secrets of one variable two names', async () => {
    covers('CLI-IMPORT-NAMES')
    const of = (API_TOKEN: string) => ({ mcpServers: { api: { command: 'serve-api', env: { API_TOKEN } } } })
    home.write('.cursor/mcp.json', of('first-secret-value'))
    home.write(WINDSURF, of('second-secret-value'))
    await run(home, ['import', '--write', '--yes'])
    const { api, 'api-windsurf': second } = config().discovery.servers
    expect(api.env.API_TOKEN).not.toBe(second.env.API_TOKEN)
    // Once the values are known, the clients have nothing new.
    expect(await json('import', '--write', '--yes')).toMatchObject({ written: false, added: [] })
    const secrets = read('.config/toolcrib/secrets.env')
    expect(secrets).toContain('first-secret-value')
    expect(secrets).toContain('second-secret-value')
  })
})

describe('a server of the config that runs another gateway', () => {
  it('is served, and never starts this one again', async () => {
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
    expect(listed).toContain("'itself' runs this gateway with the same config and is left out")
    expect((await stdout('config', 'validate', ...a)).replaceAll(/\s+/g, ' ')).toContain("'itself' runs this gateway")
  })
})
