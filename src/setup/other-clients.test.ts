import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { discoverClients } from './discover.ts'
import { type Environment, readEnvironment } from './environment.ts'
import { rememberInstalled } from './installed.ts'
import { configOfClient, findOthers, settingsOf } from './other-clients.ts'

let home: string
let environment: Environment
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'toolcrib-others-'))
  const folder = (name: string) => join(home, name, 'toolcrib')
  environment = {
    ...readEnvironment(),
    home,
    cwd: join(home, 'project'),
    env: {},
    stateDir: folder('state'),
    configDir: folder('config'),
  }
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function write(path: string, content: object | string): string {
  const file = join(home, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

async function othersOfCursor() {
  const [own] = (await discoverClients(environment, { clients: ['cursor'], scope: 'user' })).filter(
    ({ state }) => state !== 'repeated',
  )
  const job = { environment, flags: {}, output: { note() {} }, signal: new AbortController().signal }
  const file = join(home, '.cursor', 'mcp.json')
  return findOthers(job, { client: 'cursor', file, servers: own?.servers ?? [] })
}

it('without a config, a client gains the servers of other clients, unless it has the same server', async () => {
  write('.cursor/mcp.json', { mcpServers: { same: { command: 's' } } })
  write('.gemini/settings.json', { mcpServers: { same: { command: 's' }, g: { command: 'g' } } })
  write('.claude.json', { mcpServers: { c: { command: 'c' }, off: { command: 'o', disabled: true } } })
  const { gains, common } = await othersOfCursor()
  expect(gains).toEqual([
    { server: 'c', client: 'claude-code' },
    { server: 'g', client: 'gemini' },
  ])
  expect(common).toBeUndefined()
})

it('with a config, a client gains the servers of other clients, but not servers that the user added', async () => {
  write('.cursor/mcp.json', { mcpServers: { mine: { command: 'm' } } })
  write('.gemini/settings.json', { mcpServers: { g: { command: 'g' } } })
  const servers = { taken: { command: 't' }, mine: { command: 'm' }, added: { command: 'a' } }
  const config = write('config/toolcrib/config.json', { discovery: { servers, sources: [{ type: 'gemini' }] } })
  await rememberInstalled(environment.stateDir, {
    file: join(home, '.claude.json'),
    client: 'claude-code',
    command: 'node',
    args: [],
    cwd: home,
    config,
    servers: ['taken', 'mine'],
  })
  const { gains, common } = await othersOfCursor()
  expect(gains).toEqual([
    { server: 'taken', client: 'claude-code' },
    { server: 'g', client: 'gemini' },
  ])
  expect(common).toBe(config)
})

it('the config of one client has the settings and rules of the common one, and none of its servers', async () => {
  const toolRules = [{ pattern: ['*delete*'], enabled: false }]
  const discovery = { servers: { a: { command: 'a' } }, sources: [{ type: 'gemini' }], toolRules }
  const json = write('config/toolcrib/config.json', `// mine\n${JSON.stringify({ inheritEnv: false, discovery })}`)
  expect(JSON.parse((await settingsOf(json)) ?? '')).toEqual({
    inheritEnv: false,
    discovery: { toolRules, servers: {} },
  })
  expect(configOfClient(json, 'cursor')).toBe(join(dirname(json), 'config.cursor.json'))
  expect(await settingsOf(write('config.ts', 'export default {}'))).toBeUndefined()
})
