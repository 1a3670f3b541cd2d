// Rows 11 and 21 of docs/security.md: configs of someone else, and configs that are broken while the gateway runs.

import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { run as runCommand } from '../e2e/cli/harness.ts'
import { homeForTest, useHome } from '../e2e/gateway/home.ts'
import { faultGateway, HEALTHY, hostile, report, useFaultGateway } from './harness.ts'

const PLAIN = hostile().connection as { command: string; args: string[] } // as `hostile` builds it
const SHELL_WORDS = [
  '; touch PWNED',
  '$(touch PWNED)',
  '`touch PWNED`',
  '&& touch PWNED',
  '| touch PWNED',
  '\n touch PWNED',
  '%PATH%',
  "'",
  '"',
]

describe('row 11', () => {
  const home = useHome()
  const dangerous = [
    'NODE_OPTIONS',
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'DYLD_INSERT_LIBRARIES',
    'BASH_ENV',
    'PYTHONSTARTUP',
  ]
  const preload = home.write(
    'preload.cjs',
    `require('node:fs').writeFileSync(${JSON.stringify(home.at('PWNED'))}, 'ran')`,
  )
  const value = (name: string) => (name === 'NODE_OPTIONS' ? `--require ${preload}` : preload)
  home.write('.cursor/mcp.json', {
    mcpServers: {
      ...Object.fromEntries(dangerous.map((name) => [`env-${name}`, { ...PLAIN, env: { [name]: value(name) } }])),
      quoted: {
        command: process.execPath,
        args: [PLAIN.args.at(-2), 'plain', ...SHELL_WORDS],
        env: { HOSTILE_LOG: home.at('quoted.log') },
      },
      'shell-command': { command: `${process.execPath}; touch ${home.at('PWNED')}`, args: [] },
    },
  })
  const gateway = useFaultGateway({
    home,
    config: { discovery: { sources: [{ type: 'cursor' }] } },
    servers: { allowed: { ...PLAIN, env: { NODE_OPTIONS: '--no-warnings' }, allowEnv: ['NODE_OPTIONS'] } },
  })

  it('row 11: imported servers that set a variable that loads code do not start, allowEnv permits such a variable, and no shell runs', async () => {
    const client = await gateway().connect()
    for (const name of dangerous) {
      expect(await client.ask('execute_tool', { server: `env-${name}`, tool: 'fine' })).toMatchObject({
        error: {
          code: 'SERVER_UNAVAILABLE',
          message: expect.stringContaining(name),
          suggestion: expect.stringContaining('allowEnv'),
        },
      })
    }
    expect(await client.ask('execute_tool', { server: 'allowed', tool: 'fine' })).toEqual({ pid: expect.any(Number) })
    // Without a shell, the words are arguments of the server, which works.
    expect(await client.ask('execute_tool', { server: 'quoted', tool: 'fine' })).toEqual({ pid: expect.any(Number) })
    expect(await client.ask('execute_tool', { server: 'shell-command', tool: 'fine' })).toMatchObject({
      error: { code: 'SERVER_UNAVAILABLE', message: expect.stringContaining('was not found') },
    })
    expect(existsSync(home.at('PWNED'))).toBe(false)
  })

  it('row 11: list, doctor and other commands run no program of an unapproved project, and trust shows the exact commands', async () => {
    const other = homeForTest()
    const folder = other.at('project')
    mkdirSync(folder, { recursive: true })
    const mark = other.at('PWNED')
    const touch = { command: '/bin/touch', args: [mark, 'a b', '$(id)'] }
    const climbing = { command: '../../../../../../../../../../bin/touch', args: [mark] }
    const outside = other.write('outside/servers.json', { mcpServers: { far: touch } })
    const config = {
      discovery: { servers: { touch, climbing }, sources: [{ type: 'custom', path: '../outside/servers.json' }] },
    }
    writeFileSync(`${folder}/toolcrib.config.json`, JSON.stringify(config), { mode: 0o600 })
    symlinkSync(outside, `${folder}/.mcp.json`)
    const cli = { cwd: folder, env: { ...other.env } }
    const looks = [
      ['list'],
      ['status'],
      ['config', 'show'],
      ['config', 'validate'],
      ['config', 'sources'],
      ['search', 'touch'],
      ['doctor', 'touch'],
      ['trust', '--list'],
    ]
    for (const words of looks) await runCommand(cli, words)
    expect(existsSync(mark)).toBe(false)
    const { stdout, stderr } = await runCommand(cli, ['trust'])
    expect(stdout + stderr).toContain('/bin/touch')
    for (const word of [mark, 'a b', '$(id)']) expect((stdout + stderr).replace(/\s+/g, ' ')).toContain(word)
    expect(existsSync(mark)).toBe(false)
  }, 240_000)

  it('row 11: `config sources` reads 5,000 of the 20,000 servers in a client file of 10 MB, and exits with 0', async () => {
    const large = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, at) => [`large-${at}`, { command: 'x', args: ['y'.repeat(480)] }]),
    )
    const heavy = homeForTest()
    heavy.write('.cursor/mcp.json', { mcpServers: large })
    const { stdout, code } = await runCommand({ cwd: heavy.path, env: { ...heavy.env } }, ['config', 'sources'])
    expect(code).toBe(0)
    expect(stdout).toContain('5,000 servers')
  })
})

describe('row 21', () => {
  it('row 21: 50 truncated, empty or invalid edits of the config make no call fail and are reported once each, and the next valid edit applies', async () => {
    const gateway = await faultGateway({ servers: { hostile: hostile() } })
    const client = await gateway.connect()
    await client.run({ server: 'hostile', tool: 'fine' })
    const good = JSON.stringify(gateway.configWith({}))
    let [isOver, failed, calls] = [false, 0, 0]
    const calling = (async () => {
      while (!isOver) {
        const { structuredContent } = await client.run({ server: HEALTHY[calls % 5], tool: 'pid' })
        calls++
        if ((structuredContent as { success?: boolean } | undefined)?.success !== true) failed++
      }
    })()
    const reports = () => gateway.stderr.split('\n').filter((line) => line.includes('this edit is not applied')).length
    const faults: readonly ((time: number) => string)[] = [
      (time) => good.slice(0, (good.length * (time + 1)) / 60),
      () => '',
      (time) => `${good}${'}'.repeat(time + 1)}`,
      (time) => JSON.stringify({ ...JSON.parse(good), [`wrong${time}`]: 1 }),
      (time) => JSON.stringify({ discovery: { servers: { x: { command: [time] } } } }),
    ]
    for (let time = 0; time < 50; time++) {
      gateway.edit(faults[time % faults.length]?.(time) ?? '')
      await expect.poll(reports, { interval: 10 }).toBe(time + 1)
    }
    // A report that comes late would be a second one for the same edit.
    await pause(300)
    expect(reports()).toBe(50)
    const valid = gateway.configWith({}, { hostile: hostile(), added: hostile() })
    gateway.edit(valid)
    await expect.poll(async () => (await client.ask('list_mcp_servers', { search: 'added' })).total).toBe(1)
    isOver = true
    await calling
    report(`row 21: ${calls} calls during 50 broken edits, ${failed} failed, ${reports()} reports`)
    expect(failed).toBe(0)
    expect(calls).toBeGreaterThan(50)
  })
})
