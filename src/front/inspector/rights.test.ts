// A caller with limited rights gets the same answers as from a gateway that has only its servers.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fixture } from '../../sources/upstream/upstream.fixture.ts'
import { ADMIN, ALICE, BOB, type InspectedGateway, openInspected } from '../inspector.fixture.ts'
import { open } from '../raw-client.fixture.ts'
import type { InspectorCall, InspectorOverview, InspectorTools } from './api.ts'

/** Alice has two servers, so the names of her tools have a prefix, whether or not the server of bob exists. */
const own = {
  alpha: fixture('named-tools', 'read_file', 'delete_file', 'find_text'),
  gamma: fixture('named-tools', 'send_mail', 'find_mail'),
}
const other = { beta: fixture('named-tools', 'read_badger', 'delete_badger', 'find_text') }
const ownRules = [
  { pattern: 'delete_file', enabled: false },
  { pattern: '*_mail', tags: ['post'] },
]
const otherRules = [{ server: 'beta', pattern: 'read_badger', tags: ['burrow'] }]
const identities = {
  [ADMIN]: { principal: 'admin' },
  [ALICE]: { principal: 'alice', rights: { servers: ['alpha', 'gamma'] } },
  [BOB]: { principal: 'bob', rights: { servers: ['beta'] } },
}
const configOf = (servers: object, toolRules: readonly object[]) => ({
  // Without learned usage, so that both gateways list the same tools.
  discovery: { servers, toolRules, search: { learn: false } },
})

/** Opens two gateways: one with the server and the calls of bob, and one without them. */
async function openPair(): Promise<readonly [InspectedGateway, InspectedGateway]> {
  const both = await openInspected({
    identities,
    config: configOf({ ...own, ...other }, [...ownRules, ...otherRules]),
  })
  const alone = await openInspected({ identities, config: configOf(own, ownRules) })
  for (const { call } of [both, alone]) {
    await call('alpha__read_file', {}, ALICE)
    await call('gamma__find_mail', {}, ALICE)
    await call('misspelt', {}, ALICE)
    await call('beta__read_badger', {}, ALICE)
  }
  await both.call('beta__read_badger', {}, BOB)
  await both.call('beta__find_text', {}, BOB)
  await both.call('beta__delete_badger', {}, ADMIN)
  await both.recorded(7)
  await alone.recorded(4)
  return [both, alone]
}

describe('a caller with limited rights', () => {
  it('a caller with limited rights gets the same answers as from a gateway that has only its servers', async () => {
    const [both, alone] = await openPair()
    const counted = async ({ get }: InspectedGateway) =>
      (await get<InspectorOverview>('overview', ALICE)).counting.length === 0
    for (const gateway of [both, alone]) await expect.poll(() => counted(gateway)).toBe(true)
    const word = fc.constantFrom(
      'read',
      'badger',
      'burrow',
      'find text',
      'delete file',
      'mail',
      'beta',
      'post',
      'zebra',
    )
    const id = fc.constantFrom(
      'alpha:read_file',
      'alpha:delete_file',
      'beta:read_badger',
      'beta:nothing',
      'gamma:find_mail',
    )
    const strategy = fc.constantFrom(
      'gateway',
      'lazy',
      'manage',
      'grouped',
      'individual',
      'categories',
      'capabilities',
      'auto',
    )
    const path = fc.oneof(
      fc.constantFrom('overview', 'tools', 'calls', 'usage', 'usage?minutes=5', 'config', 'nothing'),
      fc.tuple(word, strategy).map(([q, one]) => `search?q=${encodeURIComponent(q)}&strategies=${one}`),
      id.map((one) => `tool?id=${one}`),
    )
    await fc.assert(
      fc.asyncProperty(path, async (wanted) => {
        const [seen, expected] = await Promise.all([both.request(wanted, ALICE), alone.request(wanted, ALICE)])
        expect(seen.status).toBe(expected.status)
        expect(comparable(seen.text)).toEqual(comparable(expected.text))
      }),
      { numRuns: 120 },
    )
  })

  it('a caller with limited rights sees no trace of other servers, calls, principals and rules', async () => {
    const [both] = await openPair()
    for (const path of [
      'overview',
      'tools',
      'calls',
      'usage',
      'tool?id=alpha:find_text',
      'search?q=find&strategies=grouped',
    ]) {
      // The attempt of alice to call a tool of bob is her own call.
      const text = (await both.request(path, ALICE)).text.replaceAll('beta__read_badger', '')
      expect(text, path).not.toMatch(/beta|badger|bob|admin|burrow/)
    }
    const { caller, servers, problems } = await both.get<InspectorOverview>('overview', BOB)
    expect(caller).toEqual({ principal: 'bob', isUnlimited: false, canCall: true })
    expect(servers.map(({ id }) => id)).toEqual(['beta'])
    expect(problems).toEqual([])
    const { tools } = await both.get<InspectorTools>('tools', BOB)
    expect(tools.map(({ id, calls }) => [id, calls])).toEqual([
      ['beta:read_badger', 1],
      // A call of the admin is not counted.
      ['beta:delete_badger', 0],
      ['beta:find_text', 1],
    ])
  })

  it('a caller with limited rights cannot read the configuration or preview a rule', async () => {
    const { request } = await openInspected({ identities, config: configOf(own, ownRules) })
    const body = { rule: { pattern: 'x' } }
    for (const answer of [
      await request('config', ALICE),
      await request('config/preview', ALICE, { method: 'POST', body }),
    ]) {
      expect([answer.status, JSON.parse(answer.text).error.message]).toEqual([
        403,
        'Only a caller with all rights can read the configuration.',
      ])
    }
  })

  it('a caller with limited rights gets only its own calls in the stream', async () => {
    const [{ port, call }] = await openPair()
    const stream = await open(port, {
      method: 'GET',
      path: '/api/calls/stream',
      headers: { authorization: `Bearer ${ALICE}` },
    })
    await call('beta__find_text', {}, BOB)
    await call('alpha__find_text', {}, ALICE)
    const isAny = () => true
    const first = (await stream.find(isAny)) as unknown as InspectorCall // the events of this stream are calls
    expect([first.principal, first.server, first.tool, first.outcome]).toEqual(['alice', 'alpha', 'find_text', 'ok'])
    stream.hangUp()
  })

  it('a caller with limited rights sees its own call of a name that two of its servers have', async () => {
    const servers = { alpha: fixture('named-tools', 'find_text'), gamma: fixture('named-tools', 'find_text') }
    const { call, recorded, get } = await openInspected({ identities, config: configOf(servers, []) })
    await call('execute_tool', { tool: 'find_text' }, ALICE)
    await recorded(1)
    const calls = await get<readonly InspectorCall[]>('calls', ALICE)
    expect(calls.map(({ tool, outcome }) => [tool, outcome])).toEqual([['find_text', 'TOOL_AMBIGUOUS']])
  })

  it('the overview states that a caller cannot call tools if its rights allow no server', async () => {
    const { get } = await openInspected({
      identities: { [ALICE]: { principal: 'alice', rights: { servers: [] } } },
      config: configOf(own, ownRules),
    })
    const { caller, servers } = await get<InspectorOverview>('overview', ALICE)
    expect([caller.canCall, servers]).toEqual([false, []])
  })
})

/** Removes times, durations and versions. Sums the calls of all slots, because a slot may end between two requests. */
function comparable(text: string): unknown {
  const value = JSON.parse(text, (key, item: unknown) => {
    if (/^(?:time|now|startedAt|lastCall|durationMs|startMs|p50|p95|p50Ms|p95Ms|version|hash|pinnedAt)$/.test(key))
      return 0
    // The answers contain the time of the search, so their tokens differ. `answers` is a list in InspectorSearch.
    return key === 'answers' ? (item as object[]).map((one) => ({ ...one, tokens: 0 })) : untimed(item)
  })
  if (Array.isArray(value.calls) && typeof value.slotMs === 'number') {
    return { ...value, calls: sum(value.calls), errors: sum(value.errors) }
  }
  return value
}

function untimed(item: unknown): unknown {
  return typeof item === 'string' ? item.replace(/("executionTimeMs":)[\d.]+/, '$10') : item
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
