// Limits for the calls of each person and to each server, over HTTP with several tokens.

import { describe, expect, it } from 'vitest'
import { isRecord } from '../../src/core/is-record.ts'
import { eras, type GatewayClient } from '../e2e/gateway/client.ts'
import { gatewayForTest } from '../e2e/gateway/harness.ts'
import { homeForTest } from '../e2e/gateway/home.ts'
import { fixtureServer } from '../e2e/gateway/servers.ts'

const tokens = { alice: 'alice-0123456789abcdef', bob: 'bob-0123456789abcdef', carol: 'carol-0123456789abcdef' }
const servers = { hub: fixtureServer('whoami'), other: fixtureServer('whoami') }

function configOf(limits: object, strategy = 'lazy') {
  return { http: { tokens }, limits, discovery: { strategy, listWaitMs: 30_000, servers } }
}

/** The answer of afd-call, afd-batch or afd-pipe. */
async function ask(
  client: GatewayClient,
  name: string,
  args: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const { content } = await client.client.callTool({ name, arguments: args })
  const [block] = content
  const answer: unknown = block?.type === 'text' ? JSON.parse(block.text) : undefined
  return isRecord(answer) ? answer : {}
}

const call = (client: GatewayClient, command = 'hub__whoami', input: object = {}) =>
  ask(client, 'afd-call', { command, input })

const isRefused = (answer: unknown) => JSON.stringify(answer).includes('RATE_LIMITED')

describe.each(eras)('calls per minute in the %s era', (era) => {
  it('the limit of a person counts direct calls, the entries of a batch and the steps of a pipe', async () => {
    const gateway = await gatewayForTest({ door: 'http', config: configOf({ perPrincipal: { callsPerMinute: 6 } }) })
    const alice = await gateway.connect({ era, token: tokens.alice })
    const bob = await gateway.connect({ era, token: tokens.bob })
    expect(isRefused(await call(alice))).toBe(false)
    const commands = [1, 2, 3].map(() => ({ command: 'hub__whoami', input: {} }))
    expect(isRefused(await ask(alice, 'afd-batch', { commands }))).toBe(false)
    const steps = [1, 2].map(() => ({ command: 'other__whoami', input: {} }))
    expect(isRefused(await ask(alice, 'afd-pipe', { steps }))).toBe(false)
    // A second connection with the same token is the same person.
    const again = await gateway.connect({ era, token: tokens.alice })
    const refused = JSON.stringify(await call(again))
    expect(refused).toContain('RATE_LIMITED')
    expect(Number(/"retryAfterMs":(\d+)/.exec(refused)?.[1])).toBeGreaterThan(0)
    expect(Number(/"retryAfterMs":(\d+)/.exec(refused)?.[1])).toBeLessThanOrEqual(10_000)
    expect(isRefused(await ask(alice, 'afd-batch', { commands }))).toBe(true)
    expect(isRefused(await ask(alice, 'afd-pipe', { steps }))).toBe(true)
    // A search does not count as a call, and another person has a limit of their own.
    expect(isRefused(await ask(alice, 'afd-discover', { search: 'whoami' }))).toBe(false)
    expect(isRefused(await call(bob))).toBe(false)
  })

  it('the limit of a server counts the calls of all people', async () => {
    const gateway = await gatewayForTest({ door: 'http', config: configOf({ perServer: { callsPerMinute: 2 } }) })
    const alice = await gateway.connect({ era, token: tokens.alice })
    const bob = await gateway.connect({ era, token: tokens.bob })
    const answers = [
      await call(alice),
      await call(bob),
      await call(alice),
      await call(bob),
      await call(bob, 'other__whoami'),
    ]
    expect(answers.map(isRefused)).toEqual([false, false, true, true, false])
  })
})

describe('calls at the same time', () => {
  it('calls wait, so that the number of calls at the same time never exceeds the limit of the server', async () => {
    const gateway = await gatewayForTest({ door: 'http', config: configOf({ perServer: { concurrent: 2 } }) })
    const clients = await Promise.all(Object.values(tokens).map((token) => gateway.connect({ token })))
    const answers = await Promise.all(
      clients.flatMap((client) => [1, 2, 3].map(() => call(client, 'hub__wait', { ms: 60 }))),
    )
    expect(answers.map(isRefused)).toEqual(answers.map(() => false))
    const most = answers.map((answer) => Number(/\\?"most\\?":(\d+)/.exec(JSON.stringify(answer))?.[1]))
    expect(Math.max(...most)).toBe(2)
  })

  it('the calls of one person do not use up the limit of another', async () => {
    const gateway = await gatewayForTest({ door: 'http', config: configOf({ perPrincipal: { concurrent: 1 } }) })
    const [alice, bob] = [await gateway.connect({ token: tokens.alice }), await gateway.connect({ token: tokens.bob })]
    await Promise.all([call(alice), call(bob)])
    const order: string[] = []
    const run = async (name: string, client: GatewayClient, ms: number) => {
      expect(isRefused(await call(client, 'hub__wait', { ms }))).toBe(false)
      order.push(name)
    }
    const startedAt = performance.now()
    await Promise.all([run('alice', alice, 400), run('alice', alice, 400), run('bob', bob, 1)])
    expect(order).toEqual(['bob', 'alice', 'alice'])
    // The two calls of Alice ran one after the other.
    expect(performance.now() - startedAt).toBeGreaterThan(790)
  })

  it('a call that is cancelled while it waits frees its place', async () => {
    const gateway = await gatewayForTest({
      door: 'http',
      config: configOf({ perPrincipal: { concurrent: 1 } }, 'gateway'),
    })
    const client = await gateway.connect({ token: tokens.alice })
    const wait = (ms: number, signal?: AbortSignal) =>
      client.run({ server: 'hub', tool: 'wait', arguments: { ms } }, signal === undefined ? {} : { signal })
    await wait(1)
    const running = wait(500)
    const cancelling = new AbortController()
    const cancelled = wait(1, cancelling.signal).catch(() => 'cancelled')
    setTimeout(() => cancelling.abort(), 50)
    expect(await cancelled).toBe('cancelled')
    await running
    expect((await wait(1)).structuredContent).toMatchObject({ success: true })
  })
})

describe('an edit of the limits', () => {
  it('an edit of the limits takes effect without a restart and does not reset the count', async () => {
    const home = homeForTest()
    const config = configOf({ perPrincipal: { callsPerMinute: 3 } })
    const gateway = await gatewayForTest({ door: 'http', home, config })
    const client = await gateway.connect({ token: tokens.alice })
    for (let at = 0; at < 3; at++) await call(client)
    expect(isRefused(await call(client))).toBe(true)
    home.write('gateway.json', configOf({ perPrincipal: { callsPerMinute: 4 } }))
    // The count goes on: the call is still refused, with the new limit.
    await expect.poll(async () => JSON.stringify(await call(client))).toContain('"limit":4')
    home.write('gateway.json', configOf({}))
    await expect.poll(async () => isRefused(await call(client))).toBe(false)
  })

  it('a limit that cannot be read at the start is replaced by a strict one, and not removed', async () => {
    const gateway = await gatewayForTest({
      door: 'http',
      config: configOf({ perPrincipal: { callsPerMinute: 'many' } }),
    })
    expect(gateway.stderr).toContain('each person can make 60 calls per minute')
    const client = await gateway.connect({ token: tokens.alice })
    const commands = Array.from({ length: 70 }, () => ({ command: 'hub__whoami', input: {} }))
    expect(isRefused(await ask(client, 'afd-batch', { commands }))).toBe(true)
  })
})
