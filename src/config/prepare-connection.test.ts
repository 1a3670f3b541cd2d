import { describe, expect, it } from 'vitest'
import { sha256Of } from './approval.ts'
import { load } from './load/load.fixture.ts'
import { prepareConnection, refusedNames } from './prepare-connection.ts'
import { tempFolder } from './temp-folder.fixture.ts'

const reference = (name: string) => `\${${name}}`
const needing = (...names: readonly string[]) =>
  prepareConnection({ type: 'stdio', command: 'x', args: names.map(reference), env: {} }, {})

it('lists the variables that are not set, and how to fix that', async () => {
  await expect(needing('A')).rejects.toThrow(
    `the variable 'A' is not set; set it before starting, or give a default as in ${reference('A:-value')}`,
  )
  await expect(needing('A', 'B')).rejects.toThrow(
    `the variables 'A', 'B' are not set; set them before starting, or give a default as in ${reference('A:-value')}`,
  )
})

const LOADERS = ['NODE_OPTIONS', 'LD_PRELOAD', 'LD_LIBRARY_PATH', 'DYLD_INSERT_LIBRARIES', 'PYTHONSTARTUP', 'BASH_ENV']

describe('refusedNames', () => {
  it.each(LOADERS)('refuses %s unless `allowEnv` names it or its value is empty', (name) => {
    expect(refusedNames({ [name]: 'x' }, [], 'linux')).toEqual([name])
    expect(refusedNames({ [name]: 'x' }, ['OTHER'], 'linux')).toEqual([name])
    expect(refusedNames({ [name]: 'x' }, [name], 'linux')).toEqual([])
    expect(refusedNames({ [name]: '' }, [], 'linux')).toEqual([])
  })

  it('accepts variables that do not make a program load other code', () => {
    expect(refusedNames({ PATH: 'x', NODE_ENV: 'x', ENV: 'x', PYTHONPATH: 'x', NODE_EXTRA_CA_CERTS: 'x' })).toEqual([])
  })

  it('ignores the case of names on Windows, and only there', () => {
    expect(refusedNames({ Node_Options: 'x' }, [], 'win32')).toEqual(['Node_Options'])
    expect(refusedNames({ Node_Options: 'x' }, ['NODE_OPTIONS'], 'win32')).toEqual([])
    expect(refusedNames({ Node_Options: 'x' }, [], 'linux')).toEqual([])
    expect(refusedNames({ NPM_CONFIG_NODE_OPTIONS: 'x', npm_config_node_options: 'x' }, [], 'linux')).toHaveLength(2)
  })
})

describe('prepareConnection', () => {
  it('rejects a connection if its env or env file sets a variable that is not allowed, and says where', async () => {
    const folder = tempFolder()
    const envFile = folder.write('server.env', 'NODE_OPTIONS=--require ./x.js\n')
    const base = { type: 'stdio', command: 'x', args: [], env: {} } as const
    const error = (where: string) => ({
      refused: ['NODE_OPTIONS'],
      message: expect.stringMatching(new RegExp(`^its ${where} sets 'NODE_OPTIONS'`)),
    })
    const inEnv = { ...base, env: { NODE_OPTIONS: '-v' } }
    await expect(prepareConnection(inEnv, {})).rejects.toMatchObject(error('config'))
    await expect(prepareConnection({ ...base, envFile }, {})).rejects.toMatchObject(error('config or env file'))
    const allowed = { ...base, envFile, allowEnv: ['NODE_OPTIONS'] }
    expect(await prepareConnection(allowed, {})).toMatchObject({ env: { NODE_OPTIONS: '--require ./x.js' } })
  })
})

describe('loadConfig with allowEnv and inheritEnv', () => {
  const server = { command: 'x', env: { NODE_OPTIONS: '-v' } }

  it('reports a server that may not set its variable, with what to do, and keeps the rest of the config valid', async () => {
    const folder = tempFolder()
    const explicit = folder.write('c.json', { discovery: { servers: { a: server, b: { ...server, enabled: false } } } })
    const { problems, isValid, servers } = await load(folder, { explicit })
    expect([isValid, servers.length]).toEqual([true, 2])
    expect(problems).toMatchObject([
      {
        severity: 'warning',
        file: explicit,
        path: 'discovery.servers.a',
        message:
          "'a' does not start: its config sets 'NODE_OPTIONS', which makes programs load other code; remove it, or allow it with `allowEnv: ['NODE_OPTIONS']` in your config",
      },
    ])
  })

  it("applies the user's allowEnv to files of clients, but not to files that need an approval", async () => {
    const folder = tempFolder()
    folder.write('home/.cursor/mcp.json', { mcpServers: { ofUser: server } })
    const text = JSON.stringify({ mcpServers: { ofFolder: server } })
    const path = folder.write('work/.cursor/mcp.json', text)
    const sources = [{ type: 'cursor' }, { type: 'cursor', scope: 'project' }]
    folder.write('home/.toolcrib/config.json', { allowEnv: ['NODE_OPTIONS'], discovery: { sources } })
    const { problems, servers } = await load(folder, { approved: [{ path, sha256: sha256Of(text) }] })
    expect(servers.map(({ name }) => name)).toEqual(['ofUser', 'ofFolder'])
    expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining("'ofFolder' does not start")])
  })

  it('lets a project set allowEnv for its own servers, but neither allowEnv nor inheritEnv for all servers', async () => {
    const folder = tempFolder()
    const own = { discovery: { servers: { a: { ...server, allowEnv: ['NODE_OPTIONS'] } } } }
    const wide = { allowEnv: ['NODE_OPTIONS'], inheritEnv: true, ...own }
    const loadWith = async (content: object) => {
      const text = JSON.stringify(content)
      const path = folder.write('work/toolcrib.config.json', text)
      return load(folder, { approved: [{ path, sha256: sha256Of(text) }] })
    }
    expect(await loadWith(own)).toMatchObject({ problems: [], servers: [{ name: 'a' }] })
    const { problems, servers } = await loadWith(wide)
    expect(servers).toEqual([])
    expect(problems.map(({ path }) => path)).toEqual(expect.arrayContaining(['allowEnv', 'inheritEnv']))
  })

  it('treats an unreadable or misspelled inheritEnv as false', async () => {
    const folder = tempFolder()
    for (const wrong of [{ inheritEnv: 'no' }, { inheritEnv: ['a b'] }, { inheritEnvs: false }]) {
      const explicit = folder.write('c.json', { ...wrong, discovery: { servers: { a: { command: 'x' } } } })
      const { config, isValid } = await load(folder, { explicit })
      expect([config.inheritEnv, isValid]).toEqual([false, false])
    }
  })
})
