import { describe, expect, it } from 'vitest'
import type { Caller } from '../../core/call.ts'
import { type CallLimitSettings, gateFor, type LimitedCall } from './call-limits.ts'
import { type CallCounters, createMemoryCounters, type TakeResult } from './counters.ts'
import { createSlots } from './slots.ts'

const http = (principal: string): Caller => ({ principal, era: 'modern', transport: 'http' })
const call = (principal = 'alice', server = 'hub', signal = new AbortController().signal): LimitedCall => ({
  name: 'read',
  server,
  caller: http(principal),
  signal,
})

function gateOf(settings: CallLimitSettings, counters: CallCounters = createMemoryCounters({ now: () => 0 })) {
  const slots = createSlots({ maxWaiting: 1 })
  const gate = gateFor(settings, { counters, slots })
  if (gate === undefined) throw new Error('no limits')
  return { gate, slots }
}

describe('the limits for calls', () => {
  it('no gate is created if no limit is set', () => {
    const counting = { counters: createMemoryCounters(), slots: createSlots() }
    expect(gateFor({ perPrincipal: {}, perServer: {} }, counting)).toBeUndefined()
  })

  it('the calls of each person are counted together for all servers and all sessions', () => {
    const { gate } = gateOf({ perPrincipal: { callsPerMinute: 2 } })
    expect(gate(call('alice', 'hub'))).toHaveProperty('leave')
    expect(gate({ ...call('alice', 'other'), caller: { ...http('alice'), sessionId: 'two' } })).toHaveProperty('leave')
    expect(gate(call('alice'))).toMatchObject({
      success: false,
      error: {
        code: 'RATE_LIMITED',
        retryable: true,
        message: "'read' was not run: your limit of 2 calls in 60 s (limits.perPrincipal) is used up",
        suggestion: 'Wait 30 s and call again.',
        details: { retryAfterMs: 30_000, limit: 2, scope: 'principal' },
      },
    })
    expect(gate(call('bob'))).toHaveProperty('leave')
  })

  it('a person over HTTP is counted apart from a local client with the same name', () => {
    const { gate } = gateOf({ perPrincipal: { callsPerMinute: 1 } })
    void gate(call('alice'))
    const caller: Caller = { principal: 'alice', era: 'legacy', transport: 'stdio' }
    expect(gate({ ...call(), caller })).toHaveProperty('leave')
  })

  it('the calls to each server are counted together for all people', () => {
    const { gate } = gateOf({ perServer: { callsPerMinute: 2 } })
    expect([gate(call('alice')), gate(call('bob'))]).toEqual([
      { leave: expect.anything() },
      { leave: expect.anything() },
    ])
    expect(gate(call('carol'))).toMatchObject({
      error: {
        code: 'RATE_LIMITED',
        message:
          "'read' was not run: the limit of server 'hub' for all callers, 2 calls in 60 s (limits.perServer), is used up",
        details: { scope: 'server', server: 'hub' },
      },
    })
    expect(gate(call('carol', 'other'))).toHaveProperty('leave')
  })

  it('a call waits for a free slot, and is refused if too many wait', async () => {
    const { gate, slots } = gateOf({ perPrincipal: { concurrent: 1 } })
    const first = gate(call())
    const second = gate(call())
    expect(second).toBeInstanceOf(Promise)
    expect(gate(call())).toMatchObject({
      error: {
        code: 'RATE_LIMITED',
        message:
          "'read' was not run: your limit of 1 call at the same time (limits.perPrincipal) is used up, and too many calls wait already or this call waited too long",
        details: { retryAfterMs: 1_000 },
      },
    })
    expect(gate(call('bob'))).toHaveProperty('leave')
    if (!('leave' in first)) throw new Error('refused')
    first.leave()
    expect(await second).toHaveProperty('leave')
    expect(slots.size).toBe(2)
  })

  it('the slot of the person is freed if the call gets no slot of the server or is cancelled', async () => {
    const { gate, slots } = gateOf({ perPrincipal: { concurrent: 5 }, perServer: { concurrent: 1 } })
    const first = gate(call('alice'))
    const cancelling = new AbortController()
    const waiting = gate(call('bob', 'hub', cancelling.signal))
    expect(gate(call('bob'))).toMatchObject({ error: { code: 'RATE_LIMITED' } })
    cancelling.abort()
    expect(await waiting).toMatchObject({ error: { code: 'CANCELLED' } })
    if (!('leave' in first)) throw new Error('refused')
    first.leave()
    expect(slots.size).toBe(0)
  })

  it('the limits work with counters that answer later, and pass on an error of the counters without keeping a slot', async () => {
    const answers: TakeResult[] = [{ ok: true }, { ok: false, retryAfterMs: 7 }]
    const remote: CallCounters = {
      take: async () => answers.shift() ?? Promise.reject(new Error('the counters are gone')),
    }
    const { gate, slots } = gateOf({ perPrincipal: { callsPerMinute: 2, concurrent: 1 } }, remote)
    const first = await gate(call())
    if (!('leave' in first)) throw new Error('refused')
    first.leave()
    expect(await gate(call())).toMatchObject({ error: { code: 'RATE_LIMITED', details: { retryAfterMs: 7 } } })
    await expect(gate(call())).rejects.toThrow('the counters are gone')
    expect(slots.size).toBe(0)
  })
})
