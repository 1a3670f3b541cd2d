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
