import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ServerConfig } from '../config/server-config.ts'
import { takenVariables } from './config-plan.ts'
import type { Environment } from './environment.ts'

let home: string
let environment: Environment

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'toolcrib-taken-'))
  const env = { SET: 'one' }
  const folders = { stateDir: join(home, 'state'), cacheDir: join(home, 'cache'), configDir: join(home, 'config') }
  const variables = { env, ownEnv: env, secretNames: [] }
  environment = { version: '0', program: 'toolcrib', cwd: home, home, platform: 'linux', ...variables, ...folders }
})
afterEach(() => rmSync(home, { recursive: true }))

it('reserves variables that are set, and variables that a server of the config or of any client refers to', async () => {
  mkdirSync(join(home, '.cursor'))
  const client = { mcpServers: { c: { command: 'x', env: { A: `\${env:OF_CLIENT}` } } } }
  writeFileSync(join(home, '.cursor', 'mcp.json'), JSON.stringify(client))
  const server: ServerConfig = {
    name: 'a',
    connection: { type: 'stdio', command: 'x', args: [`\${OF_SERVER:-x}`, `\${SET}`], env: {} },
    enabled: true,
    origin: { source: 'config', file: 'config.json' },
  }
  expect(Object.fromEntries(await takenVariables(environment, [server]))).toEqual({
    SET: 'one',
    OF_SERVER: undefined,
    OF_CLIENT: undefined,
  })
})

it('reserves the names in the secrets file, even if other users can read it', async () => {
  mkdirSync(environment.configDir)
  writeFileSync(join(environment.configDir, 'secrets.env'), 'OLD=first\nOLD=last\nSET=another\n', { mode: 0o644 })
  const taken = await takenVariables(environment, [])
  expect(Object.fromEntries(taken)).toEqual({ OLD: 'last', SET: undefined })
})
