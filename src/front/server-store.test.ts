import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { fixture } from '../sources/upstream/upstream.fixture.ts'
import { createMemoryStore } from '../storage/memory.ts'
import { stateDir } from '../storage/paths.ts'
import { defineStore, type Store, type StoreOpenOptions, type StorePlugin } from '../storage/store.ts'
import { createMcpServer } from './create-mcp-server.ts'
import { openServerStore } from './server-store.ts'
import { wrapServer } from './wrap-server.ts'

const environment = { home: '/h/ada', platform: 'linux', env: { XDG_STATE_HOME: '/state' } } as const

/** A kind of store that records how it is opened and how often it is closed. */
function recorded(check?: () => Promise<void>) {
  const opened: StoreOpenOptions[] = []
  const counts = { closed: 0 }
  const plugin = defineStore({
    name: 'recorded',
    ...(check === undefined ? {} : { check }),
    open(options): Store {
      opened.push(options)
      const store = createMemoryStore()
      const close = async () => {
        counts.closed += 1
        await store[Symbol.asyncDispose]()
      }
      return { ...store, [Symbol.asyncDispose]: close }
    },
  })
  return { plugin, opened, counts }
}

function open(plugin: StorePlugin, server = 'todos') {
  return openServerStore(plugin, { server, environment, onProblem: () => {} })
}

const options = { version: '1.0.0', commands: [], transport: 'http', port: 0 } as const

describe('openServerStore', () => {
  it('opens the part `state` of a store plugin at its first use, in a folder per server', async () => {
    const { plugin, opened } = recorded()
    const [todos, other] = ['todos', '../Todos'].map((name) => open(plugin, name))
    expect(opened).toEqual([])
    await todos?.store.set('key', 1)
    expect(await todos?.store.get('key')).toBe(1)
    expect(await other?.store.get('key')).toBeUndefined()
    expect(opened.map(({ part }) => part)).toEqual(['state', 'state'])
    const folders = opened.map(({ dir }) => dirname(dir))
    expect(folders.map(dirname)).toEqual(Array(2).fill(join('/state', 'toolcrib', 'servers')))
    expect(new Set(folders.map((folder) => basename(folder).toLowerCase())).size).toBe(2)
  })

  it('closes a store that it has opened, once, and opens another one at the next use', async () => {
    const { plugin, opened, counts } = recorded()
    const { store, close } = open(plugin)
    await close()
    expect([opened.length, counts.closed]).toEqual([0, 0])
    await store.get('key')
    await close()
    await close()
    expect([opened.length, counts.closed]).toEqual([1, 1])
    await store.get('key')
    expect(opened.length).toBe(2)
  })

  it('has only those optional methods that the opened store has', () => {
    const { store } = open(recorded().plugin)
    expect([typeof store.update, typeof store.lock, store.isShared]).toEqual(['function', 'undefined', undefined])
  })
})

describe('createMcpServer with a store', () => {
  it('createMcpServer opens the store in the state folder that the environment of the process names', async () => {
    vi.stubEnv('XDG_STATE_HOME', '/state')
    vi.stubEnv('LOCALAPPDATA', '')
    onTestFinished(() => void vi.unstubAllEnvs())
    const { plugin, opened } = recorded()
    const server = createMcpServer({ ...options, name: 'todos', store: plugin })
    await server.execute('afd-discover', {})
    await server.stop()
    const folder = stateDir({ home: homedir(), platform: process.platform, env: process.env })
    expect(opened[0]?.dir.startsWith(join(folder, 'servers'))).toBe(true)
  })

  it('createMcpServer closes the store of a plugin at stop, and can start again', async () => {
    const { plugin, opened, counts } = recorded()
    const server = createMcpServer({ ...options, name: 'todos', store: plugin })
    await server.start()
    await server.stop()
    await server.stop()
    expect([opened.length, counts.closed]).toEqual([1, 1])
    await server.start()
    expect(await server.execute('afd-discover', {})).toMatchObject({ success: true })
    await server.stop()
    expect(counts.closed).toBe(opened.length)
  })

  it('createMcpServer leaves a store of the author open', async () => {
    const { plugin, counts } = recorded()
    const store = plugin.open({ part: 'state', dir: '/state' })
    const server = createMcpServer({ ...options, name: 'todos', store })
    await server.start()
    await server.stop()
    expect(counts.closed).toBe(0)
  })

  it('createMcpServer does not start if the check of the store fails', async () => {
    const { plugin } = recorded(() => Promise.reject(new Error('wrong password')))
    const server = createMcpServer({ ...options, name: 'todos', store: plugin })
    await expect(server.start()).rejects.toThrow('wrong password')
    await server.stop()
  })

  it('createMcpServer refuses an object that is neither a store nor the result of defineStore', () => {
    // JavaScript callers can pass it.
    const store = { name: 'x' } as never
    expect(() => createMcpServer({ ...options, name: 'todos', store })).toThrow(
      'a store or the result of defineStore()',
    )
  })
})

describe('wrapServer with a store', () => {
  const open = (store: Store | StorePlugin) => {
    const server = wrapServer(fixture('shelf'), { transport: 'http', port: 0, strategy: 'manage', store })
    onTestFinished(() => server.stop())
    return server
  }

  it('wrapServer leaves a store of the author open, and can start again with it', async () => {
    const { plugin, counts } = recorded()
    const server = open(plugin.open({ part: 'state', dir: '/state' }))
    for (let round = 0; round < 2; round++) {
      await server.start()
      await server.stop()
    }
    expect(counts.closed).toBe(0)
  })

  it('wrapServer closes the store of a plugin at stop, and can start again', async () => {
    const { plugin, opened, counts } = recorded()
    const server = open(plugin)
    for (const round of [1, 2]) {
      await server.start()
      expect([opened.length, counts.closed]).toEqual([round, round - 1])
      await server.stop()
      expect(counts.closed).toBe(round)
    }
  })

  it('wrapServer stops watching a shared store if the start fails after the wrapped server has started', async () => {
    let watching = 0
    const store: Store = {
      ...createMemoryStore(),
      isShared: true,
      get: () => Promise.reject(new Error('the store is broken')),
      watch() {
        watching++
        return () => void watching--
      },
    }
    await expect(open(store).start()).rejects.toThrow('the store is broken')
    expect(watching).toBe(0)
  })
})
