// A gateway without a Redis store does not load the code for several replicas.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { mainPath } from '../e2e/gateway/harness.ts'
import { homeForTest } from '../e2e/gateway/home.ts'
import { fixtureServer } from '../e2e/gateway/servers.ts'
import { createFleetClient } from '../fixtures/fleet/raw-client.ts'
import { freePort, hasProgram, startRedis } from '../fixtures/fleet/redis-server.ts'

/** The names of files in `dist` and of packages. */
const OF_REPLICAS = /ioredis|redis-(?:connection|store)|fleet\.cjs|shared-(?:limits|breaker|logins)|replicas\.cjs/
const token = 'anna-0123456789abcdef'

/** The files that a gateway has loaded when it has answered a call. */
async function loadedBy(store: string): Promise<readonly string[]> {
  const home = homeForTest()
  const coverage = home.at('coverage')
  const port = await freePort()
  const limits = { perPrincipal: { callsPerMinute: 100, concurrent: 10 } }
  const config = {
    store,
    limits,
    http: { tokens: { anna: token } },
    discovery: { servers: { hub: fixtureServer('whoami') } },
  }
  home.write('gateway.json', config)
  const args = [mainPath(), 'serve', '--http', '--port', String(port), '--config', home.config]
  // When the process ends, Node writes down the scripts that it has loaded.
  const child = spawn(process.execPath, args, { env: { ...home.env, NODE_V8_COVERAGE: coverage }, stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  const isUp = () =>
    fetch(`${url}/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  await expect.poll(isUp, { timeout: 60_000 }).toBe(true)
  const call = { name: 'execute_tool', arguments: { server: 'hub', tool: 'whoami', arguments: {} } }
  const { isError } = await createFleetClient(url, 'modern', token).ask('tools/call', call)
  expect(isError).not.toBe(true)
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
  return readdirSync(coverage).flatMap((name): string[] => {
    const { result } = JSON.parse(readFileSync(home.at('coverage', name), 'utf8'))
    return result.map((script: { readonly url: string }) => script.url)
  })
}

describe('the code for several replicas', () => {
  it('a gateway with a store in memory does not load the code for several replicas, even with limits', async () => {
    const loaded = await loadedBy('memory')
    expect(loaded.length).toBeGreaterThan(10)
    expect(loaded.filter((url) => OF_REPLICAS.test(url))).toEqual([])
  })

  it.runIf(hasProgram('redis-server'))(
    'a gateway with a Redis store loads the code for several replicas, under the names that OF_REPLICAS matches',
    async () => {
      await using redis = await startRedis()
      const loaded = (await loadedBy(redis.url())).filter((url) => OF_REPLICAS.test(url)).join('\n')
      for (const name of ['ioredis', 'redis-store', 'fleet.cjs', 'shared-limits', 'replicas.cjs'])
        expect(loaded).toContain(name)
    },
  )
})
