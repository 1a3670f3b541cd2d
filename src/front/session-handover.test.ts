// Sessions that two gateways with the same store continue for each other.

import { expect, it, onTestFinished } from 'vitest'
import { success } from '../core/result.ts'
import { withResolvers } from '../core/waiting.ts'
import { createMemoryStore } from '../storage/memory.ts'
import type { Store } from '../storage/store.ts'
import { commandReturning, createFront } from './door.fixture.ts'
import { serveHttp } from './http.ts'
import { ask, LEGACY, type RawSession, startSession, toolCall } from './raw-client.fixture.ts'

const sharedStore = (): Store => ({ ...createMemoryStore(), isShared: true })
const setLevel = (level: string) => ({ jsonrpc: '2.0', id: level, method: 'logging/setLevel', params: { level } })

/** Logs one message that is less severe than 'error', and one of that level. */
const speak = commandReturning('log-speak', (context) => {
  for (const level of ['info', 'error'] as const) context.log(level, level)
  return success('done')
})

async function openGateway(store: Store): Promise<number> {
  const { crib, activity, onError, onToolCall } = createFront({ commands: [speak] })
  const front = { crib, activity, onError, onToolCall, shared: store }
  const door = await serveHttp({ host: '127.0.0.1', port: 0, ...front })
  onTestFinished(() => door.close(0))
  return door.port
}

async function onlyRecord(store: Store): Promise<unknown> {
  const keys: string[] = []
  for await (const key of store.keys('session/')) keys.push(key)
  expect(keys).toHaveLength(1)
  return store.get(keys[0] ?? '')
}

it('the record of a session has the log level that was accepted last, also from a batch', async () => {
  const store = sharedStore()
  const session = await startSession(await openGateway(store))
  await session.ask(setLevel('error'))
  const refused = await session.ask(setLevel('loud'))
  expect(refused.messages).toMatchObject([{ error: { code: expect.any(Number) } }])
  expect(await onlyRecord(store)).toMatchObject({ level: 'error' })
  await session.ask([setLevel('warning'), { jsonrpc: '2.0', id: 'ping', method: 'ping' }])
  expect(await onlyRecord(store)).toMatchObject({ level: 'warning' })
})

it('a log level reaches a gateway that already has the session, and one that continues it later', async () => {
  const store = sharedStore()
  const session = await startSession(await openGateway(store))
  const headers = { 'mcp-session-id': session.id, 'mcp-protocol-version': LEGACY }
  const logsAt = async (port: number) => {
    const { messages } = await ask(port, { body: toolCall('log-speak'), headers })
    return messages.filter(({ method }) => method === 'notifications/message').map(({ params }) => params?.level)
  }
  const second = await openGateway(store)
  expect(await logsAt(second)).toEqual(['info', 'error'])
  await session.ask(setLevel('error'))
  await expect.poll(() => logsAt(second)).toEqual(['error'])
  expect(await logsAt(await openGateway(store))).toEqual(['error'])
})

it('a gateway goes on if its store fails while it reads a message or saves the sessions again', async () => {
  const store = sharedStore()
  const unhandled: unknown[] = []
  const note = (reason: unknown) => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  let isBroken = false
  const listeners: ((key: string) => void)[] = []
  const failing: Store = {
    ...store,
    get: (...args) => (isBroken ? Promise.reject(new Error('out of reach')) : store.get(...args)),
    set: (...args) => (isBroken ? Promise.reject(new Error('out of reach')) : store.set(...args)),
    watch(_prefix, listener) {
      listeners.push(listener)
      return () => {}
    },
  }
  const port = await openGateway(failing)
  await startSession(port)
  isBroken = true
  for (const listener of listeners) for (const key of ['relay/x/y', 'ended/']) listener(key)
  await new Promise((resolve) => setTimeout(resolve))
  expect(unhandled).toEqual([])
})

/** The status of a request of this session at the gateway with this port. */
async function statusAt(port: number, { id }: RawSession): Promise<number> {
  const headers = { 'mcp-session-id': id, 'mcp-protocol-version': LEGACY }
  return (await ask(port, { body: { jsonrpc: '2.0', id: 'ping', method: 'ping' }, headers })).status
}

async function endAt(port: number, { id }: RawSession): Promise<number> {
  const headers = { 'mcp-session-id': id, 'mcp-protocol-version': LEGACY }
  return (await ask(port, { method: 'DELETE', headers })).status
}

it('a session ends at both gateways if one of them saves a log level while the other ends the session', async () => {
  const store = sharedStore()
  const writing = withResolvers()
  const slow = withResolvers()
  const first = await openGateway({
    ...store,
    async set(key, value, options) {
      if (key.startsWith('session/') && JSON.stringify(value).includes('"level"')) {
        writing.resolve()
        await slow.promise
      }
      await store.set(key, value, options)
    },
  })
  const second = await openGateway(store)
  const session = await startSession(first)
  expect(await statusAt(second, session)).toBe(200)
  const set = session.begin(setLevel('error'))
  await writing.promise
  expect(await endAt(second, session)).toBe(200)
  slow.resolve()
  await set.ended
  expect([await statusAt(first, session), await statusAt(second, session)]).toEqual([404, 404])
})

it('a gateway does not continue a session that another gateway ends at that moment', async () => {
  const store = sharedStore()
  const first = await openGateway(store)
  const session = await startSession(first)
  let readCount = 0
  /** Ends the session just after the first read that finds it open. */
  const endAfter = async (key: string) => {
    if (key.startsWith('ended/') && readCount++ === 0) expect(await endAt(first, session)).toBe(200)
  }
  const second = await openGateway({
    ...store,
    async get(key) {
      const value = await store.get(key)
      await endAfter(key)
      return value
    },
    async update(key, ...rest) {
      await store.update?.(key, ...rest)
      await endAfter(key)
    },
  })
  expect(await statusAt(second, session)).toBe(404)
  expect(readCount).toBeGreaterThan(0)
  expect([await statusAt(first, session), await statusAt(second, session)]).toEqual([404, 404])
})
