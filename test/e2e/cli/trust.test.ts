// A config in the current folder must not run code without an approval: not by a command, and not in a running gateway.

import { spawn } from 'node:child_process'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { endChild } from '../gateway/processes.ts'
import { covers, printed, processesWith, run, start, stopped } from './harness.ts'
import { list, markedHome, namedTools, servers, writeIn } from './trust.fixture.ts'

// Each test runs the program many times.
vi.setConfig({ testTimeout: 240_000 })

/** The commands that a person or a shell may run without checking the folder. */
const COMMANDS: readonly (readonly string[])[] = [
  ['list'],
  ['list', '--status', '--tools'],
  ['search', 'anything'],
  ['tools', 'coded'],
  ['execute', 'coded', 'a'],
  ['complete', '--', 'tools', ''],
  ['complete', '--', 'list', '--server', ''],
  ['config', 'validate', '--verbose'],
  ['config', 'show', '--verbose'],
  ['config', 'sources'],
  ['status'],
  ['doctor'],
  ['stats'],
  ['serve', '--explain'],
  ['import'],
  ['install', 'cursor', '--dry-run'],
  ['install', 'claude-code', '--project', '--yes'],
  ['trust'],
  ['trust', '--json'],
  ['trust', '--list'],
  ['trust', '--revoke'],
]

describe('a config module in the current folder', () => {
  it.each([
    ['toolcrib.config.ts', COMMANDS],
    ['.toolcrib/config.mjs', COMMANDS.slice(0, 3)],
    ['toolcrib.config.js', COMMANDS.slice(0, 3)],
  ])('%s does not run without an approval', async (name, commands) => {
    covers('CLI-TRUST-CODE')
    const home = markedHome()
    writeIn(home.cwd, name, home.code())
    writeIn(home.cwd, '.mcp.json', JSON.stringify({ mcpServers: { theirs: { command: 'run-me' } } }))
    for (const words of commands) await run(home, words)
    // A client that starts the gateway and disconnects.
    await run(home, ['serve'])
    expect(home.hasRun()).toBe(false)
    expect(await list(home)).toBe('')
  })

  it('a config module runs after its approval, but not after the module or an imported file changes or the approval is revoked', async () => {
    covers('CLI-TRUST-CODE', 'CLI-TRUST-LIST')
    const home = markedHome()
    const part = writeIn(home.cwd, 'lib/name.ts', `export const name: string = 'one'\n`)
    const config = (more: string) =>
      `import { name } from './lib/name'\n${home.code()}`.replace('export default', `${more}\nexport const unused =`) +
      `export default { discovery: { servers: { [name]: ${JSON.stringify(namedTools('a'))} } } }\n`
    const file = writeIn(home.cwd, 'toolcrib.config.ts', config(''))
    expect(await list(home)).toBe('')
    expect((await run(home, ['trust', '--yes'])).code).toBe(0)
    expect(home.hasRun()).toBe(true)
    expect(await list(home)).toBe('one\n')
    writeFileSync(part, `export const name: string = 'two'\n`)
    expect(await list(home)).toBe('')
    expect((await run(home, ['trust'])).stdout).toMatch(/changed since you approved it on \d{4}-\d\d-\d\d/)
    expect((await run(home, ['trust', file, '--yes'])).code).toBe(0)
    expect(await list(home)).toBe('two\n')
    writeFileSync(file, config('const edited = 1'))
    expect(await list(home)).toBe('')
    await run(home, ['trust', '--yes'])
    expect(await list(home)).toBe('two\n')
    expect((await run(home, ['trust', '--revoke'])).stdout).toContain('~/project/toolcrib.config.ts')
    expect(await list(home)).toBe('')
    expect((await run(home, ['trust', '--revoke'])).code).toBe(2)
  })

  it('a config module runs only as approved, and loads no unapproved file of the folder', async () => {
    covers('CLI-TRUST-SWAP')
    const home = markedHome()
    const evil = home.code()
    writeIn(home.cwd, 'evil.ts', evil)
    // The config itself replaces a file that it imports, and loads a file that was not approved.
    const part = writeIn(home.cwd, 'part.ts', `export const name = 'approved'\n`)
    writeIn(
      home.cwd,
      'toolcrib.config.ts',
      `import { copyFileSync } from 'node:fs'
copyFileSync('evil.ts', 'part.ts')
const { name } = await import('./part.ts')
const more = './ev' + 'il.ts'
const loaded = await import(more).then(() => 'loaded', () => 'refused')
export default { discovery: { servers: { [name]: { command: 'x' }, [loaded]: { command: 'x' } } } }
`,
    )
    const { stdout } = await run(home, ['trust', '--yes'])
    expect(stdout).toContain('names that are known only when it runs')
    writeFileSync(part, `export const name = 'approved'\n`)
    expect(await list(home)).toBe('approved\nrefused\n')
    expect(home.hasRun()).toBe(false)
  })

  it('an unapproved config module never runs while files are swapped', async () => {
    covers('CLI-TRUST-SWAP')
    const home = markedHome()
    const good = servers({ good: { command: 'x' } })
    const file = writeIn(home.cwd, 'toolcrib.config.js', `export default ${good}\n`)
    await run(home, ['trust', '--yes'])
    expect(await list(home)).toBe('good\n')
    const [one, two] = [`${file}.one`, `${file}.two`]
    const swap = `const { writeFileSync, renameSync } = require('node:fs')
      const [file, one, two, good, evil] = process.argv.slice(1)
      for (;;) { writeFileSync(one, evil); renameSync(one, file); writeFileSync(two, good); renameSync(two, file) }`
    const swapper = spawn(process.execPath, ['-e', swap, file, one, two, `export default ${good}\n`, home.code()], {
      stdio: 'ignore',
    })
    onTestFinished(() => endChild(swapper, 'SIGKILL'))
    const seen = new Set<string>()
    for (let round = 0; round < 12; round++) seen.add(await list(home))
    await endChild(swapper, 'SIGKILL')
    expect([...seen].filter((names) => names !== '' && names !== 'good\n')).toEqual([])
    expect(home.hasRun()).toBe(false)
  })
})

describe('a running gateway', () => {
  it('a running gateway does not run or serve a new config until it is approved, and drops it when it changes', async () => {
    covers('CLI-TRUST-LIVE', 'CLI-TRUST-NOTE')
    const home = markedHome()
    home.write('.config/toolcrib/config.json', { discovery: { servers: { mine: namedTools('own') } } })
    const gateway = start(home, ['serve', '--http', '--port', '0'])
    let stderr = ''
    gateway.stderr?.on('data', (text: Buffer) => {
      stderr += text
    })
    const notes = () => stderr.split('\n').filter((line) => line.includes('toolcrib trust'))
    const served = async () => {
      const { stdout } = await run(home, ['config', 'reload', '--json'])
      return JSON.parse(stdout).gateways[0].servers
    }
    try {
      await printed(gateway, 'with it')
      const text = home.code({ discovery: { servers: { coded: namedTools('a') } } })
      const aside = writeIn(home.cwd, 'aside.mjs', text)
      const file = join(home.cwd, 'toolcrib.config.mjs')
      writeFileSync(aside, text)
      renameSync(aside, file)
      await expect.poll(notes, { timeout: 20_000 }).toHaveLength(1)
      expect(notes()[0]).toContain('is not approved, so it is not used')
      expect(await served()).toBe(1)
      expect(home.hasRun()).toBe(false)

      await run(home, ['trust', '--yes'])
      await expect.poll(served, { timeout: 20_000 }).toBe(2)
      writeFileSync(file, home.code().concat('// edited\n'))
      await expect.poll(notes, { timeout: 20_000 }).toHaveLength(2)
      expect(notes()[1]).toMatch(/has changed since you approved it on .* so it is not used/)
      expect(await served()).toBe(1)
      writeFileSync(file, text)
      await expect.poll(served, { timeout: 20_000 }).toBe(2)
      await run(home, ['trust', '--revoke'])
      await expect.poll(served, { timeout: 20_000 }).toBe(1)
    } finally {
      await stopped(gateway, 'SIGTERM')
    }
    expect(processesWith(home.folder)).toEqual([])
  })

  it('serve prints once on stderr that a file is not approved, with the command to type', async () => {
    covers('CLI-TRUST-NOTE')
    const home = markedHome()
    writeIn(home.cwd, 'toolcrib.config.json', servers({ theirs: { command: 'run-me' } }))
    const { stderr } = await run(home, ['serve'])
    expect(stderr.match(/toolcrib trust/g)).toHaveLength(1)
    expect(stderr).toContain(
      "toolcrib.config.json: It comes with this folder and is not approved, so 'theirs' is not used",
    )
  })
})
