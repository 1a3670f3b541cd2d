// Authentication over HTTP: with the generated token of this user, or with the named tokens of the config.

import { readFileSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ask, startSession } from '../../../src/front/raw-client.fixture.ts'
import { covers, gatewayForTest, useGateway } from './harness.ts'
import { homeForTest } from './home.ts'
import { fixtureServer, missing } from './servers.ts'

const portOf = (url: string) => Number(new URL(url).port)

async function statusWith(url: string, token?: string): Promise<number> {
  const authorization = token === undefined ? undefined : `Bearer ${token}`
  const body = { jsonrpc: '2.0', id: 1, method: 'ping' }
  return (await ask(portOf(url), { body, headers: { authorization } })).status
}

/** Opens the event stream of a legacy session. */
async function openStream(url: string, token: string) {
  const session = await startSession(portOf(url), { authorization: `Bearer ${token}` })
  const stream = await session.stream()
  expect(stream.status).toBe(200)
  let isOver = false
  void stream.ended.then(() => (isOver = true))
  return { isOver: () => isOver }
}

describe('the token', () => {
  it('the first start creates a token that only this user can read, and the next start uses it again', async () => {
    covers('HG-1')
    const home = homeForTest()
    const config = { discovery: { servers: { known: { ...missing, tools: [{ name: 'x' }] } } } }
    const first = await gatewayForTest({ door: 'http', home, config })
    const file = home.at('state', 'toolcrib', 'token')
    const token = readFileSync(file, 'utf8').trim()
    expect(token).toMatch(/^[\w-]{32,}$/)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await statusWith(first.url)).toBe(401)
    expect(await statusWith(first.url, `${token}x`)).toBe(401)
    expect(await statusWith(first.url, token)).not.toBe(401)
    expect((await fetch(new URL('/health', first.url))).status).toBe(200)
    await first.close()
    const second = await gatewayForTest({ door: 'http', home, config })
    expect(readFileSync(file, 'utf8').trim()).toBe(token)
    expect(await statusWith(second.url, token)).not.toBe(401)
  })

  describe('in the config', () => {
    const [alice = '', bob = '', carol = ''] = ['alice', 'bob', 'carol'].map((name) => `${name}-0123456789abcdef`)
    const discovery = { listWaitMs: 30_000, servers: { notes: fixtureServer('notes') } }
    const gateway = useGateway({
      door: 'http',
      env: { ALICE: alice },
      config: { http: { tokens: { alice: `\${ALICE}`, bob } }, discovery },
    })

    it('the names of the tokens in the config are the principals, and the gateway creates no token', async () => {
      covers('HG-2')
      expect(
        gateway()
          .home.files(gateway().home.state)
          .filter((file) => file.endsWith('token')),
      ).toEqual([])
      expect(await statusWith(gateway().url, `\${ALICE}`)).toBe(401)
      const last = () => gateway().home.lines('state/toolcrib/audit.jsonl').at(-1) ?? ''
      for (const [name, token] of Object.entries({ alice, bob })) {
        const client = await gateway().connect({ token, era: 'modern' })
        await client.run({ tool: 'list' })
        await expect.poll(last).toContain(`"principal":"${name}"`)
      }
    })

    it('a token that an edit removes is refused, and a token that the edit adds is accepted', async () => {
      covers('HG-3', 'CF-10')
      expect(await statusWith(gateway().url, bob)).not.toBe(401)
      gateway().edit({ http: { tokens: { alice: `\${ALICE}`, carol } }, discovery })
      await expect.poll(() => statusWith(gateway().url, bob)).toBe(401)
      expect(await statusWith(gateway().url, carol)).not.toBe(401)
      expect(await statusWith(gateway().url, alice)).not.toBe(401)
    })

    it("replacing a token closes its owner's streams and no others", async () => {
      covers('HG-3')
      const streams = { alice: await openStream(gateway().url, alice), carol: await openStream(gateway().url, carol) }
      gateway().edit({ http: { tokens: { alice: `\${ALICE}`, carol: `${carol}-anew` } }, discovery })
      await expect.poll(() => streams.carol.isOver()).toBe(true)
      expect(streams.alice.isOver()).toBe(false)
      gateway().edit({ http: { tokens: { alice: `\${ALICE}`, carol } }, discovery })
      await expect.poll(() => statusWith(gateway().url, carol)).not.toBe(401)
    })

    it('an invalid edit does not change the tokens', async () => {
      covers('HG-3', 'CF-11')
      gateway().edit({ http: { tokens: { dave: `\${NOT_SET}` } }, discovery })
      await expect.poll(() => gateway().stderr).toContain('stays in force')
      expect(gateway().stderr).toMatch(/http\.tokens\.dave: Variable 'NOT_SET' is not set, so 'dave' has no token/)
      expect(await statusWith(gateway().url, carol)).not.toBe(401)
    })
  })

  it('the gateway does not start with a token that refers to an unset variable, and names the variable', async () => {
    covers('HG-2')
    const config = { http: { tokens: { alice: `\${NOT_SET}` } }, discovery: { servers: { known: missing } } }
    await expect(gatewayForTest({ door: 'http', config })).rejects.toThrow(/NOT_SET/)
  })
})
