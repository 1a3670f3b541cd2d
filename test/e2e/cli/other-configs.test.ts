// Clients with configs of their own: status and doctor name these configs, and errors name the config that has a server.

import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { covers, createHome, run, serverScript } from './harness.ts'

const home = createHome()
afterAll(() => home.remove())

const memory = { command: process.execPath, args: [serverScript('memory')] }
const OTHER = '~/.config/toolcrib/config.vscode.json'
const NOTE = `Note: the gateway of vscode uses another config. \`toolcrib doctor --config ${OTHER}\` checks its servers.`

beforeAll(async () => {
  home.write('.cursor/mcp.json', { mcpServers: { graph: memory } })
  home.write('.config/Code/User/mcp.json', { servers: { broken: { command: 'no-such-program' } } })
  for (const client of ['cursor', 'vscode']) await run(home, ['install', client, '--yes'])
})

describe('status and doctor', () => {
  it('status names the config of a client that does not use the config in force', async () => {
    covers('CLI-STATUS')
    const { code, stdout } = await run(home, ['status'])
    expect(code).toBe(0)
    expect(stdout).toContain('Servers  1 (1 from config)')
    expect(stdout).toContain(`\n\n${NOTE}\n\nNext: toolcrib`)
    const { otherConfigs } = JSON.parse((await run(home, ['status', '--json'])).stdout)
    const file = join(home.folder, '.config/toolcrib/config.vscode.json')
    expect(otherConfigs).toEqual([{ file, clients: ['vscode'], command: `toolcrib doctor --config ${OTHER}` }])
  })

  it('doctor names the config with servers that it does not check, and the command checks them', async () => {
    covers('CLI-DOCTOR')
    const { code, stdout } = await run(home, ['doctor'])
    expect(code).toBe(0)
    expect(stdout).toContain('Doctor (1 server, all healthy):')
    expect(stdout.endsWith(`\n\n${NOTE}\n`)).toBe(true)
    expect(JSON.parse((await run(home, ['doctor', '--json'])).stdout).otherConfigs).toMatchObject([
      { clients: ['vscode'] },
    ])
    expect((await run(home, ['doctor', 'graph'])).stdout).not.toContain('another config')
    const other = await run(home, ['doctor', '--config', OTHER])
    expect(other.code).toBe(3)
    expect(other.stdout).toContain("the command 'no-such-program' was not found")
    expect(other.stdout).toContain('`toolcrib doctor --config ~/.config/toolcrib/config.json` checks its servers.')
  })
})

describe('an unknown server', () => {
  it.each([
    [['disable', 'broken']],
    [['tools', 'broken']],
    [['doctor', 'broken']],
    [['inspect', 'broken', 'read']],
    [['search', 'read', '--server', 'broken']],
    [['execute', 'broken', 'read']],
  ])('%j names the config that has the server, and the whole command', async (words) => {
    const typed = words.map((word) => (word.includes(' ') ? `'${word}'` : word)).join(' ')
    for (const _ of ['from the gateway', 'from the cache']) {
      const { code, stderr } = await run(home, words)
      expect(code).toBe(2)
      expect(stderr).toContain("No server named 'broken'")
      expect(stderr).toMatch(/Next: +The config of vscode has it: run `/)
      expect(stderr).toContain(`run \`toolcrib ${typed} --config ${OTHER}\`.`)
    }
  })

  it('execute does not repeat its arguments in the command with the config that has the server', async () => {
    const { stdout, stderr } = await run(home, ['execute', 'broken', 'read', 'token=hunter2', '--json'])
    expect(stderr).toContain(`run \`toolcrib execute broken read ... --config ${OTHER}\`.`)
    expect(stdout + stderr).not.toContain('hunter2')
  })

  it.each([[['tools', 'off']], [['execute', 'off', 'read']], [['inspect', 'off', 'read']], [['doctor', 'off']]])(
    '%j names the command that switches the server on',
    async (words) => {
      const file = join(home.folder, 'off.json')
      writeFileSync(
        file,
        JSON.stringify({ discovery: { servers: { graph: memory, off: { ...memory, enabled: false } } } }),
      )
      const { code, stderr } = await run(home, [...words, '--config', file])
      expect(code).toBe(2)
      expect(stderr).toContain("Server 'off' is disabled in the configuration")
      expect(stderr).toContain(`Run \`toolcrib enable off --config ~/off.json\` to use it.`)
    },
  )

  it('an unknown server runs no config in code, neither of the current folder nor of a client', async () => {
    const ours = createHome()
    const marker = join(ours.folder, 'has-run')
    const code = `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(marker)}, '')\nexport default {}\n`
    const serve = (config: string) => ({ command: 'toolcrib', args: ['serve', '--config', config] })
    ours.write('repository/toolcrib.config.mjs', code)
    ours.write('own.config.mjs', code)
    ours.write('.cursor/mcp.json', { mcpServers: { toolcrib: serve('toolcrib.config.mjs') } })
    ours.write('.config/Code/User/mcp.json', { servers: { toolcrib: serve(join(ours.folder, 'own.config.mjs')) } })
    ours.write('.config/toolcrib/config.json', { discovery: { servers: { graph: memory } } })
    const cwd = join(ours.folder, 'repository')
    for (const words of [['tools', 'grph'], ['status'], ['doctor', 'grph']]) {
      const { stdout } = await run(ours, words, { cwd })
      expect(stdout).not.toContain('--config ~/repository')
    }
    expect(existsSync(marker)).toBe(false)
    await ours.remove()
  })

  it('a server that no config has gets the list of servers', async () => {
    const { stderr } = await run(home, ['tools', 'grph'])
    expect(stderr).toContain("Did you mean 'graph'? Use `toolcrib list` to list the servers.")
  })
})
