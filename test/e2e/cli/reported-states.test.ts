// The output of commands about failed starts in a gateway, about disabled discovery, and about clients.

import { expect, it, onTestFinished, vi } from 'vitest'
import { connect, createHome, main, run } from './harness.ts'

vi.setConfig({ testTimeout: 120_000 })

function homeFor(discovery: object) {
  const home = createHome()
  onTestFinished(() => home.remove())
  home.write('.config/toolcrib/config.json', { discovery })
  return home
}

it('list shows a server that failed to start in a serving gateway', async () => {
  const broken = { command: process.execPath, args: ['/nope/x.js'] }
  const home = homeFor({ servers: { broken } })
  expect((await run(home, ['list'])).stdout).toContain('? broken')
  const client = await connect(home)
  await client.callTool({ name: 'list_tools', arguments: { server: 'broken' } })
  await vi.waitFor(
    async () => {
      const { stdout } = await run(home, ['list'])
      expect(stdout).toContain('✗ broken')
      expect(stdout).toContain("it printed: Error: Cannot find module '/nope/x.js'\n")
    },
    { timeout: 60_000, interval: 500 },
  )
  await client.close()
})

it('status, serve and serve --explain report that discovery is disabled', async () => {
  const home = homeFor({ enabled: false, servers: { a: { command: 'x' } } })
  const status = await run(home, ['status'])
  expect(status.stdout).toContain('discovery is disabled')
  expect(status.stdout).toContain('Next: toolcrib config show')
  expect(status.stdout).not.toContain('--demo')
  const off = 'Discovery is disabled: discovery.enabled is false.'
  expect((await run(home, ['serve', '--explain'])).stderr).toContain(off)
  const served = await run(home, ['serve'], { input: '' })
  expect(served.stderr.split('\n').filter((line) => line.includes(off))).toHaveLength(1)
})

it('serve --explain reports a core budget that has no effect', async () => {
  const home = homeFor({ servers: {} })
  const problemsOf = async (...words: readonly string[]) =>
    JSON.parse((await run(home, ['serve', '--explain', '--json', '--core-budget', '5', ...words])).stdout).problems
  expect(await problemsOf('--strategy', 'lazy')).toEqual([
    'The core budget has no effect: it limits a learned core, and no core is set.',
  ])
  expect(await problemsOf('--strategy', 'lazy', '--core', 'learned')).toEqual([])
  expect(await problemsOf('--strategy', 'categories', '--listing', 'hidden')).toEqual([
    "The core budget has no effect: it applies with the listing 'hybrid', and the listing is 'hidden'.",
  ])
  expect(await problemsOf('--strategy', 'categories', '--listing', 'hybrid')).toEqual([])
})

it('install on a machine without client files suggests no client', async () => {
  const home = createHome()
  onTestFinished(() => home.remove())
  const { stdout } = await run(home, ['install'])
  expect(stdout).toContain('None of these clients has a file here. `toolcrib install CLIENT --dry-run` shows')
})

it('doctor names an entry that is left out because it runs this gateway', async () => {
  const home = homeFor({ servers: { me: { command: process.execPath, args: [main, 'serve'] } } })
  const { stdout } = await run(home, ['doctor'])
  expect(stdout.replace(/\s+/g, ' ')).toContain(
    "'me' is left out: it starts a gateway with a config that this gateway, or a gateway above it",
  )
})

it('search reports an invalid pattern once', async () => {
  const home = homeFor({ servers: { a: { command: 'x' } } })
  const { code, stdout } = await run(home, ['search', '/del(/', '--json'])
  expect(code).toBe(1)
  expect(JSON.parse(stdout).error.message.match(/del\(\//g)).toHaveLength(1)
})

it('serve --demo serves the examples if the config has only disabled servers, as after config init', async () => {
  const home = homeFor({ servers: { sample: { command: 'none', enabled: false } } })
  const explained = JSON.parse((await run(home, ['serve', '--demo', '--explain', '--json'])).stdout)
  expect(explained.tools).toBe(76)
})
