// Sessions that two gateways with the same store continue for each other.

import { expect, it, onTestFinished } from 'vitest'
import type { Features } from '../crib/features.ts'
import { createMemoryStore } from '../storage/memory.ts'
import type { Store } from '../storage/store.ts'
import { createFront } from './door.fixture.ts'
import { serveHttp } from './http.ts'
import { ask, LEGACY, startSession } from './raw-client.fixture.ts'

const sharedStore = (): Store => ({ ...createMemoryStore(), isShared: true })
const setLevel = (level: string) => ({ jsonrpc: '2.0', id: level, method: 'logging/setLevel', params: { level } })
const subscribe = (uri: string) => ({ jsonrpc: '2.0', id: uri, method: 'resources/subscribe', params: { uri } })

/** Features with subscriptions. The server refuses `no://`. `watched` are the URIs that it was asked for. */
function watchableFeatures() {
  const watched: string[] = []
  const features: Features = {
    list: async () => [],
    answer: async () => ({ ok: false, rpcCode: -32_602, message: 'not part of this test' }),
    onChange: () => () => {},
    updates: {
      async watch(uri) {
        watched.push(uri)
        return uri.startsWith('no:') ? { ok: false, rpcCode: -32_602, message: 'refused' } : { ok: true, result: {} }
      },
      unwatch: async () => {},
      onUpdate: () => () => {},
    },
  }
  return { features, watched }
}

async function openGateway(store: Store, features?: Features): Promise<number> {
  const { crib, activity, onError, onToolCall } = createFront()
  const front = { crib, activity, onError, onToolCall, shared: store, ...(features === undefined ? {} : { features }) }
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

it('the record of a session has no subscription that the server refuses', async () => {
  const store = sharedStore()
  const session = await startSession(await openGateway(store, watchableFeatures().features))
  const { messages } = await session.ask(subscribe('no://a'))
  expect(messages).toMatchObject([{ error: { message: expect.stringContaining('refused') } }])
  await session.ask(subscribe('yes://b'))
  expect(await onlyRecord(store)).toMatchObject({ watched: ['yes://b'] })
})

it('a subscription reaches a gateway that already has the session, and one that continues it later', async () => {
  const store = sharedStore()
  const { features } = watchableFeatures()
  const [second, third] = [watchableFeatures(), watchableFeatures()]
  const session = await startSession(await openGateway(store, features))
  const headers = { 'mcp-session-id': session.id, 'mcp-protocol-version': LEGACY }
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  await ask(await openGateway(store, second.features), { body: ping, headers })
  expect(second.watched).toEqual([])
  await session.ask(subscribe('yes://a'))
  await expect.poll(() => second.watched).toEqual(['yes://a'])
  expect((await ask(await openGateway(store, third.features), { body: ping, headers })).status).toBe(200)
  expect(third.watched).toEqual(['yes://a'])
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
