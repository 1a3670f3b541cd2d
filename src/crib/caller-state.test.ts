import { describe, expect, it } from 'vitest'
import { sessionName } from '../core/hash.ts'
import type { DiscoverResult } from '../disclosure/strategies/afd/discover.ts'
import { commandOf, namesOf } from '../sources/commands/command.fixture.ts'
import { createMemoryStore } from '../storage/memory.ts'
import { collect } from '../storage/store.contract.ts'
import { createKeyMatcher } from './caller-state.ts'
import { type CribSetup, cribOf, requestOf, type TestCrib } from './crib.fixture.ts'

const HOUR = 60 * 60 * 1_000

const commands = [
  commandOf('invoice-send', { contexts: ['billing'] }),
  commandOf('ticket-close', { contexts: ['support'] }),
  commandOf('status'),
]

function openCrib(setup: CribSetup = {}): TestCrib {
  return cribOf(commands, { contexts: ['billing', 'support'], ...setup })
}

/** Those of the three commands that a session sees. */
async function seenBy(crib: TestCrib, sessionId?: string): Promise<string[]> {
  const own = new Set(namesOf(commands))
  return namesOf(await crib.list(requestOf(sessionId))).filter((name) => own.has(name))
}

const enter = (crib: TestCrib, sessionId: string, context: string) =>
  crib.call('afd-context-enter', { context }, requestOf(sessionId))

describe('a crib with contexts', () => {
  it('gives a session no context at first, so that all commands are available', async () => {
    const crib = openCrib()
    expect(await seenBy(crib, 's1')).toEqual(['invoice-send', 'ticket-close', 'status'])
    expect(await crib.call('afd-context-list', {}, requestOf('s1'))).toMatchObject({
      data: { contexts: [{ name: 'billing' }, { name: 'support' }], active: null },
    })
  })

  it('limits the commands to those of the entered context and those without one, until the session leaves it', async () => {
    const crib = openCrib()
    expect(await enter(crib, 's1', 'billing')).toMatchObject({
      success: true,
      data: { context: 'billing', previous: null },
    })
    expect(await seenBy(crib, 's1')).toEqual(['invoice-send', 'status'])
    expect(await enter(crib, 's1', 'support')).toMatchObject({ data: { context: 'support', previous: 'billing' } })
    expect(await seenBy(crib, 's1')).toEqual(['ticket-close', 'status'])
    expect(await crib.call('afd-context-exit', {}, requestOf('s1'))).toMatchObject({
      data: { context: null, previous: 'support' },
    })
    expect(await seenBy(crib, 's1')).toHaveLength(3)
  })

  it('keeps a separate context for each session', async () => {
    const crib = openCrib()
    await enter(crib, 's1', 'billing')
    await enter(crib, 's2', 'support')
    expect(await seenBy(crib, 's1')).toEqual(['invoice-send', 'status'])
    expect(await seenBy(crib, 's2')).toEqual(['ticket-close', 'status'])
    expect(await seenBy(crib, 's3')).toHaveLength(3)
    expect(await seenBy(crib)).toHaveLength(3)
    expect((await crib.call('invoice-send', {}, requestOf('s2'))).error?.code).toBe('CONTEXT_MISMATCH')
    expect((await crib.call('invoice-send', {}, requestOf('s1'))).success).toBe(true)
  })

  it('stores the context under a hash of the session id, because the id gives access to the session', async () => {
    const store = createMemoryStore()
    const crib = openCrib({ state: { store } })
    await enter(crib, 'a-secret-session-id', 'billing')
    const keys = await collect(store.keys(''))
    expect(keys.filter((key) => key.startsWith('context/'))).toHaveLength(1)
    expect(keys.join()).not.toContain('a-secret-session-id')
  })

  it('deletes the context of a session when the session ends', async () => {
    const crib = openCrib()
    await enter(crib, 's1', 'billing')
    await crib.endSession('s1')
    await crib.endSession('s1')
    expect(await seenBy(crib, 's1')).toHaveLength(3)
  })

  it('deletes the context of a session after a day without a call', async () => {
    let time = 0
    const crib = openCrib({ state: { store: createMemoryStore({ now: () => time }) } })
    await enter(crib, 's1', 'billing')
    time += 25 * HOUR
    expect(await seenBy(crib, 's1')).toHaveLength(3)
  })

  it('keeps the context of a session as long as the session is used', async () => {
    let time = 0
    const crib = openCrib({ state: { store: createMemoryStore({ now: () => time }) } })
    await enter(crib, 's1', 'billing')
    for (let hours = 0; hours < 48; hours += 12) {
      time += 12 * HOUR
      expect((await crib.call('status', {}, requestOf('s1'))).success).toBe(true)
    }
    expect(await seenBy(crib, 's1')).toEqual(['invoice-send', 'status'])
  })

  it('refuses to enter an unknown context', async () => {
    const crib = openCrib()
    expect((await enter(crib, 's1', 'biling')).error).toMatchObject({
      code: 'CONTEXT_NOT_FOUND',
      suggestion: "Use one of 'billing', 'support'.",
      details: { similar: ['billing'] },
    })
    expect(await seenBy(crib, 's1')).toHaveLength(3)
  })

  it('refuses to enter or leave a context without a session, and changes nothing', async () => {
    const crib = openCrib()
    for (const [tool, args] of [
      ['afd-context-enter', { context: 'billing' }],
      ['afd-context-exit', {}],
    ] as const) {
      const { error } = await crib.call(tool, args, requestOf())
      expect(error?.code).toBe('NO_SESSION')
      expect(error?.suggestion).toContain("'afd-call'")
    }
    expect(await seenBy(crib)).toHaveLength(3)
  })

  it('hides the tools that enter and leave a context from callers without a session', async () => {
    const crib = openCrib()
    const found = async (sessionId?: string) => {
      const { data } = await crib.call('afd-discover', { search: 'afd-context' }, requestOf(sessionId))
      return (data as DiscoverResult).commands.map(({ name }) => name) // the data of this tool
    }
    expect(await found('s1')).toEqual(['afd-context-list', 'afd-context-enter', 'afd-context-exit'])
    expect(await found()).toEqual(['afd-context-list'])
    const { data } = await crib.call('afd-detail', { command: 'afd-context-enter' }, requestOf())
    expect(data).toMatchObject([{ found: true, callable: false }])
  })
})

describe('a switch of context', () => {
  const switching = async (strategy: string, context: string, own = commands) => {
    const crib = cribOf(own, { strategy, contexts: ['billing', 'support'] })
    let notifications = 0
    const request = requestOf('s1', { listChanged: () => void notifications++ })
    await crib.call('afd-call', { command: 'afd-context-enter', input: { context } }, request)
    const once = notifications
    await crib.call('afd-context-enter', { context }, request)
    return { once, again: notifications - once }
  }

  it('notifies the client if the list changes, but not when the same context is entered again', async () => {
    expect(await switching('individual', 'billing')).toEqual({ once: 1, again: 0 })
    expect(await switching('grouped', 'billing')).toEqual({ once: 1, again: 0 })
  })

  it('does not notify the client if the list stays the same', async () => {
    expect(await switching('lazy', 'billing')).toEqual({ once: 0, again: 0 })
    expect(await switching('individual', 'billing', [commandOf('status')])).toEqual({ once: 0, again: 0 })
  })
})

describe('a context named in a call', () => {
  it('applies to that call only, and has precedence over the context of the session', async () => {
    const crib = openCrib({ strategy: 'lazy' })
    await enter(crib, 's1', 'billing')
    const call = (args: unknown) => crib.call('afd-call', args, requestOf('s1'))
    expect((await call({ command: 'ticket-close' })).error?.code).toBe('CONTEXT_MISMATCH')
    expect((await call({ command: 'ticket-close', context: 'support' })).success).toBe(true)
    expect((await call({ command: 'invoice-send', context: 'support' })).error?.code).toBe('CONTEXT_MISMATCH')
    expect((await call({ command: 'invoice-send' })).success).toBe(true)
  })

  it.each([
    ['afd-discover', {}, { data: { total: 3 } }],
    ['afd-batch', { commands: [{ command: 'invoice-send' }] }, { results: [{ result: { success: true } }] }],
    ['afd-pipe', { steps: [{ command: 'invoice-send' }] }, { data: { command: 'invoice-send' } }],
    ['afd-call', { command: 'invoice-send' }, { success: true }],
  ])('applies in %s without a session', async (tool, args, expected) => {
    const crib = openCrib({ strategy: 'lazy' })
    expect(await crib.call(tool, { ...args, context: 'billing' }, requestOf())).toMatchObject(expected)
    if (tool !== 'afd-discover') {
      expect(JSON.stringify(await crib.call(tool, { ...args, context: 'support' }, requestOf()))).toContain(
        'CONTEXT_MISMATCH',
      )
    }
  })

  it('is refused with CONTEXT_NOT_FOUND and the existing contexts if it is unknown', async () => {
    const { error } = await openCrib().call('afd-call', { command: 'status', context: 'nope' }, requestOf())
    expect(error).toMatchObject({ code: 'CONTEXT_NOT_FOUND', suggestion: "Use one of 'billing', 'support'." })
    const none = cribOf([commandOf('status')])
    expect((await none.execute('status', {}, requestOf(undefined, { context: 'x' }))).error).toMatchObject({
      code: 'CONTEXT_NOT_FOUND',
      suggestion: 'This server has no contexts; leave `context` out.',
    })
  })

  it('applies even if the arguments are sent as a JSON string', async () => {
    const args = JSON.stringify({ command: 'invoice-send', context: 'support' })
    expect((await openCrib().execute('afd-call', args, requestOf())).error?.code).toBe('CONTEXT_MISMATCH')
  })

  it('is not ignored for discover inside afd-call', async () => {
    const args = { command: 'afd-discover', input: { context: 'support' } }
    const result = await openCrib().call('afd-call', args, requestOf())
    // It may use the context or refuse the call, but it must not answer for all contexts.
    expect(JSON.stringify(result.data ?? {})).not.toContain('invoice-send')
  })
})

describe('a matcher of store keys', () => {
  const caller = { principal: 'alice', era: 'legacy', transport: 'http', sessionId: 's1' } as const
  const name = sessionName('s1')

  it.each([
    [`state/session/${name}/enabled-tools`, true],
    [`context/${name}`, true],
    ['state/principal/team/alice/enabled-tools', true],
    [`state/session/${sessionName('s2')}/enabled-tools`, false],
    [`context/${name}0`, false],
    ['state/session/s1/enabled-tools', false],
    ['state/principal/team/alicea/enabled-tools', false],
    ['state/principal/alice/enabled-tools', false],
    ['state/process/1/alice/enabled-tools', false],
  ])('the key %s belongs to a session of alice in the scope team/: %s', (key, expected) => {
    const matches = createKeyMatcher('team/')
    // The second answer uses the kept name of the session.
    expect([matches(key, caller), matches(key, caller)]).toEqual([expected, expected])
  })
})
