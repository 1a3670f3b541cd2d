// Tokens of `toolcrib token add`: an outage of Redis at the start, names that the config has too, and the printed names.

import { describe, expect, it } from 'vitest'
import { printed, start, stopped } from '../e2e/cli/harness.ts'
import { gatewayForTest } from '../e2e/gateway/harness.ts'
import { homeForTest } from '../e2e/gateway/home.ts'
import { hasProgram, startRedis } from '../fixtures/fleet/redis-server.ts'
import { addToken, initialize, tokenCommand } from './tokens.ts'

const ANNA = 'anna-0123456789abcdef'
const discovery = { servers: {} }

describe.runIf(hasProgram('redis-server'))('a gateway that starts while Redis is out of reach', () => {
  it.each(['open', 'closed'])(
    'a token in Redis gets 503 until it can be checked, if http.whenStoreIsDown is %s',
    async (whenStoreIsDown) => {
      await using redis = await startRedis({ isDurable: true })
      const home = homeForTest()
      const config = { store: redis.url(), http: { tokens: { anna: ANNA }, whenStoreIsDown }, discovery }
      home.write('gateway.json', config)
      const token = addToken(home, 'carol')
      await redis.stop('SIGKILL')
      const { url } = await gatewayForTest({ door: 'http', home, config })
      const refused = await initialize(url, token)
      expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining('TOKENS_UNAVAILABLE')])
      expect((await initialize(url, ANNA)).status).toBe(200)
      // `toolcrib token add` does not make such a token, so it is certain that it is wrong.
      expect((await initialize(url, 'wrong-0123456789abcdef')).status).toBe(401)
      await redis.start()
      await expect.poll(async () => (await initialize(url, token)).status).toBe(200)
      expect((await initialize(url, `${token.slice(0, -3)}xyz`)).status).toBe(401)
    },
  )
})

describe('the names of stored tokens', () => {
  it('serve reports once that a stored token is refused because http.tokens has its name, and the command that removes it', async () => {
    const home = homeForTest()
    home.write('gateway.json', { discovery })
    const [carol, dave] = [addToken(home, 'carol'), addToken(home, 'dave')]
    const http = { tokens: { anna: ANNA, carol: 'carol-0123456789abcdef' } }
    const gateway = await gatewayForTest({ door: 'http', home, config: { http, discovery } })
    const { url } = gateway
    const statuses = async () => [(await initialize(url, carol)).status, (await initialize(url, dave)).status]
    expect(await statuses()).toEqual([401, 200])
    const reports = () => gateway.stderr.split('\n').filter((line) => line.includes('toolcrib token revoke'))
    const command = `toolcrib token revoke carol --config ${home.config}`
    expect(reports()).toEqual([expect.stringContaining(`run \`${command}\``)])
    expect(reports()[0]).toContain("the token 'carol' of `toolcrib token add` is refused, because http.tokens has")

    // After an edit, only the name that became taken is reported.
    gateway.edit({ http: { tokens: { ...http.tokens, dave: 'dave-0123456789abcdef' } }, discovery })
    await expect.poll(statuses).toEqual([401, 401])
    expect(reports()).toHaveLength(2)
    expect(reports()[1]).toContain('toolcrib token revoke dave')
    tokenCommand(home, 'revoke', 'carol')
    expect(tokenCommand(home, 'list')).not.toContain('carol')
  })

  it('serve prints the names of the config and those of stored tokens, and never the tokens', async () => {
    const home = homeForTest()
    home.write('gateway.json', { discovery })
    const stored = [addToken(home, 'carol'), addToken(home, 'dave', '--read-only')]
    const config = { http: { tokens: { anna: ANNA } }, discovery }
    const { stdout } = await gatewayForTest({ door: 'http', home, config })
    await expect.poll(() => stdout).toContain('A token for anna: see http.tokens in the config')
    expect(stdout).toMatch(/Tokens for carol, dave: made with `toolcrib token add --config \S+`/)
    const args = ['serve', '--http', '--port', '0', '--json', '--config', home.config]
    const child = start({ cwd: home.path, env: home.env }, args)
    const document = await printed(child, '\n}\n')
    await stopped(child, 'SIGTERM')
    expect(JSON.parse(document)).toMatchObject({ principals: ['anna', 'carol', 'dave'] })
    for (const token of [ANNA, ...stored]) expect(stdout + document).not.toContain(token)
  })
})
