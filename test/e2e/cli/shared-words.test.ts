// serve --shared with options before the command.

import { afterEach, expect, it, vi } from 'vitest'
import { type CliHome, createHome, printed, processesWith, start, stopped } from './harness.ts'
import { namedTools } from './trust.fixture.ts'

const homes: CliHome[] = []
afterEach(async () => {
  for (const home of homes.splice(0)) await home.remove()
})

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

it.each([
  ['--config FILE', (file: string) => ['--config', file]],
  ['--config=FILE', (file: string) => [`--config=${file}`]],
  ['--quiet --config FILE', (file: string) => ['--quiet', '--config', file]],
])(
  'serve --shared joins the shared gateway if %s comes before it',
  async (_, before) => {
    const home = createHome()
    homes.push(home)
    const config = { discovery: { servers: { mine: namedTools('a') } }, limits: { sharedIdleMs: 300 } }
    const file = home.write('gateway.json', config)
    const client = start(home, [...before(file), 'serve', '--shared'])
    let stderr = ''
    client.stderr?.on('data', (chunk) => {
      stderr += String(chunk)
    })
    const answer = printed(client, '\n')
    client.stdin?.write(`${JSON.stringify(INITIALIZE)}\n`)
    expect(JSON.parse(await answer)).toMatchObject({ id: 1, result: { serverInfo: { name: 'toolcrib' } } })
    expect(stderr).not.toContain('serving this client alone')
    // The relay, and the gateway that it has started.
    expect(processesWith(home.folder).filter((line) => line.includes('serve')).length).toBeGreaterThanOrEqual(2)
    await stopped(client, 'SIGTERM')
    await vi.waitUntil(() => processesWith(home.folder).length === 0, { timeout: 20_000, interval: 50 })
  },
  60_000,
)
