// The roots of a client, for a wrapped server of either era that asks for them.

import type { ClientCapabilities } from '@modelcontextprotocol/client'
import { describe, expect, it, vi } from 'vitest'
import { createWrapRoots } from '../crib/wrap-roots.ts'
import { fixture, reference } from '../sources/upstream/upstream.fixture.ts'
import { accepting, connectAsked, gatewayTo, openTo, type Reply } from './asked-client.fixture.ts'
import { eras } from './sdk-client.fixture.ts'
import { wrapFor } from './wrapped.fixture.ts'

const CHANGING: ClientCapabilities = { roots: { listChanged: true } }

describe('a legacy server, wrapped for one client', () => {
  it('is told the roots that it asked for before the client came, and again when they change', async () => {
    const { front, problems } = await wrapFor(fixture('roots'))
    let folder = 'file:///first'
    const reply: Reply = () => ({ roots: [{ uri: folder }] })
    const { call, client } = await connectAsked((await openTo({ front }, 'stdio'))(), 'legacy', reply, CHANGING)
    const first = { roots: [{ uri: 'file:///first' }] }
    await vi.waitFor(async () =>
      expect(await call('known')).toEqual({ declared: { listChanged: true }, heard: [first] }),
    )
    folder = 'file:///second'
    await client.sendRootsListChanged()
    const second = { roots: [{ uri: 'file:///second' }] }
    await vi.waitFor(async () => expect(await call('known')).toMatchObject({ heard: [first, second] }))
    expect(problems).toEqual([])
  })

  it('is told of none where the client has none, without waiting', async () => {
    const { front } = await wrapFor(fixture('roots'))
    const { call, asked } = await connectAsked((await openTo({ front }, 'stdio'))(), 'legacy', accepting(), {})
    await vi.waitFor(async () => expect(await call('known')).toMatchObject({ heard: [{ roots: [] }] }))
    expect(asked).toEqual([])
  })

  it.each(eras)('asks the %s client of a call, also at an address', async (era) => {
    const { front } = await wrapFor(fixture('roots'))
    const { call } = await connectAsked((await openTo({ front }, 'http'))(), era, accepting())
    expect(await call('ask')).toEqual({ roots: [{ uri: 'file:///tmp' }] })
  })

  it('is told the roots of a modern client within its first call, although it asked too early', async () => {
    const { front, problems } = await wrapFor(fixture('roots'))
    const { call, asked } = await connectAsked((await openTo({ front }, 'stdio'))(), 'modern', accepting())
    const roots = { roots: [{ uri: 'file:///tmp' }] }
    const first = (await call('known')) as { heard: unknown[] } // as the fixture answers
    expect(first.heard.at(-1)).toEqual(roots)
    expect(asked.map(({ method }) => method)).toEqual(['roots/list'])
    expect(await call('known')).toEqual(first)
    expect(asked).toHaveLength(1)
    expect(problems).toEqual([])
  })

  it('is asked again within the first call of a modern client that has roots, not of one that has none', async () => {
    const { front } = await wrapFor(fixture('roots'))
    const connect = await openTo({ front }, 'stdio')
    const without = await connectAsked(connect(), 'modern', accepting(), {})
    await vi.waitFor(async () => expect(await without.call('known')).toMatchObject({ heard: [{ roots: [] }] }))
    await without.client.close()
    const { call } = await connectAsked(connect(), 'modern', accepting())
    expect(await call('known')).toMatchObject({ heard: [{ roots: [] }, { roots: [{ uri: 'file:///tmp' }] }] })
  })

  it('is not told the roots of one client at an address: another may call next', async () => {
    const { front } = await wrapFor(fixture('roots'))
    const connect = await openTo({ front }, 'http')
    const { call, asked } = await connectAsked(connect(), 'modern', accepting())
    await call('known')
    expect(asked).toEqual([])
  })

  it('lets the filesystem server work in the folders of a modern client from the first call on', async () => {
    const { front } = await wrapFor(reference('filesystem'))
    const reply: Reply = () => ({ roots: [{ uri: `file://${process.cwd()}/docs` }] })
    const { call } = await connectAsked((await openTo({ front }, 'stdio'))(), 'modern', reply)
    await vi.waitFor(async () => expect(await call('list_allowed_directories')).toContain(`${process.cwd()}/docs`))
  })

  it('lets the filesystem server work in the folders of its client', async () => {
    const { front } = await wrapFor(reference('filesystem'))
    const reply: Reply = () => ({ roots: [{ uri: `file://${process.cwd()}/docs` }] })
    const { call } = await connectAsked((await openTo({ front }, 'stdio'))(), 'legacy', reply, CHANGING)
    await vi.waitFor(async () => expect(await call('list_allowed_directories')).toContain(`${process.cwd()}/docs`))
  })
})

describe('a gateway', () => {
  it('tells no legacy server of roots: it may have several clients', async () => {
    const gateway = await gatewayTo(fixture('roots'), 'known')
    const { call } = await connectAsked((await openTo(gateway, 'stdio'))(), 'legacy', accepting(), CHANGING)
    expect(await call('known')).toEqual({ declared: null, heard: [] })
  })
})

describe('a server that cannot wait for its client', () => {
  it('is told of none, and that they have changed once the client is there', async () => {
    const onChange = vi.fn()
    const roots = createWrapRoots({ waitMs: 1, onChange })
    const { signal } = new AbortController()
    expect(await roots.answer(signal)).toEqual({ roots: [] })
    const detach = roots.attach(async () => ({ roots: [{ uri: 'file:///here' }] }))
    expect(onChange).toHaveBeenCalledOnce()
    expect(await roots.answer(signal)).toEqual({ roots: [{ uri: 'file:///here' }] })
    detach()
    expect(await roots.answer(signal)).toEqual({ roots: [] })
    roots.attach(() => Promise.reject(new Error('no')))
    expect(await roots.answer(signal)).toEqual({ roots: [] })
  })
})
