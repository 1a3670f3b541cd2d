// The strategy manage in a complete crib: separate sets for each caller, and notifications.

import { describe, expect, it } from 'vitest'
import { commandOf, namesOf } from '../sources/commands/command.fixture.ts'
import { createMemoryStore } from '../storage/memory.ts'
import { cribOf, requestOf } from './crib.fixture.ts'
import type { Request } from './request.ts'

const commands = [commandOf('order-list'), commandOf('order-create'), commandOf('mail-send')]

function open(strategyOptions: object = {}, store = createMemoryStore()) {
  return cribOf(commands, { strategy: 'manage', strategyOptions, state: { store } })
}

const principal = (name: string): Request =>
  requestOf(undefined, { caller: { principal: name, era: 'modern', transport: 'http' } })

async function listed(crib: ReturnType<typeof open>, request: Request): Promise<string[]> {
  return namesOf(await crib.list(request)).slice(1)
}

describe('a crib under manage', () => {
  it('keeps enabled tools per session, and drops them when the session ends', async () => {
    const crib = open()
    const [one, other] = [requestOf('one'), requestOf('other')]
    await crib.call('manage_tools', { action: 'enable', tools: 'order-list' }, one)
    await crib.call('manage_tools', { action: 'enable', tools: 'mail-send' }, other)
    expect([await listed(crib, one), await listed(crib, other)]).toEqual([['order-list'], ['mail-send']])
    await crib.endSession('one')
    expect([await listed(crib, one), await listed(crib, other)]).toEqual([[], ['mail-send']])
  })

  it('keeps enabled tools per principal for clients without sessions', async () => {
    const crib = open()
    await crib.call('manage_tools', { action: 'enable', tools: 'order-list' }, principal('alice'))
    expect(await listed(crib, principal('alice'))).toEqual(['order-list'])
    expect(await listed(crib, principal('bob'))).toEqual([])
  })

  it('keeps enabled tools in the store, where another process finds them', async () => {
    const store = createMemoryStore()
    await open({}, store).call('manage_tools', { action: 'enable', tools: 'order-list' }, principal('alice'))
    expect(await listed(open({}, store), principal('alice'))).toEqual(['order-list'])
  })

  it('separates the enabled tools of programs that share a store but serve different tools', async () => {
    const store = createMemoryStore()
    const serving = (scope: string) => cribOf(commands, { strategy: 'manage', state: { store, scope } })
    await serving('wrap/one/').call('manage_tools', { action: 'enable', tools: 'order-list' }, principal('alice'))
    expect(await listed(serving('wrap/other/'), principal('alice'))).toEqual([])
    expect(await listed(serving('wrap/one/'), principal('alice'))).toEqual(['order-list'])
  })

  it('keeps the changes of a hundred concurrent manage_tools calls', async () => {
    const many = Array.from({ length: 100 }, (_, index) => commandOf(`note-n${index}`))
    const crib = cribOf(many, { strategy: 'manage', strategyOptions: { maxEnabled: 100 } })
    const names = namesOf(many)
    await Promise.all(names.map((tools) => crib.call('manage_tools', { action: 'enable', tools }, requestOf('one'))))
    expect(await listed(crib, requestOf('one'))).toEqual(names)
  })
})

describe('a crib under manage, on a call', () => {
  it('notifies the client exactly once of each change, after the listing shows it, and never without a change', async () => {
    const crib = open()
    const listings: Promise<string[]>[] = []
    const request = requestOf('one', { listChanged: () => void listings.push(listed(crib, requestOf('one'))) })
    const calls = [
      [{ action: 'enable', tools: ['order-list', 'mail-send', 'nothing'] }, 1],
      [{ action: 'enable', category: 'order' }, 2],
      [{ action: 'enable', tools: 'order-list' }, 2],
      [{ action: 'list' }, 2],
      [{ action: 'enable', tools: 'nothing' }, 2],
      [{ action: 'disable', tools: ['order-list', 'order-create'] }, 3],
      [{ action: 'disable', tools: 'order-list' }, 3],
    ] as const
    for (const [args, notifications] of calls) {
      await crib.call('manage_tools', args, request)
      expect(listings).toHaveLength(notifications)
    }
    expect(await Promise.all(listings)).toEqual([
      ['order-list', 'mail-send'],
      ['order-list', 'order-create', 'mail-send'],
      ['mail-send'],
    ])
  })

  it('refuses a tool before it is enabled', async () => {
    const crib = open()
    const call = () => crib.call('order-list', { page: 1 }, requestOf('one'))
    expect((await call()).error?.code).toBe('TOOL_NOT_ENABLED')
    await crib.call('manage_tools', { action: 'enable', tools: 'order-list' }, requestOf('one'))
    expect((await call()).data).toEqual({ command: 'order-list', input: { page: 1 } })
  })

  it('runs a tool and notifies the client once with autoEnable', async () => {
    const crib = open({ autoEnable: true })
    let notifications = 0
    const request = requestOf('one', { listChanged: () => void notifications++ })
    expect((await crib.call('order-list', {}, request)).success).toBe(true)
    expect((await crib.call('order-list', {}, request)).success).toBe(true)
    expect(notifications).toBe(1)
  })
})
