// The roots of a client, for wrapped servers of either era that ask for them.

import type { ClientCapabilities } from '@modelcontextprotocol/client'
import { describe, expect, it, vi } from 'vitest'
import { createWrapRoots } from '../crib/wrap-features.ts'
import { fixture, reference } from '../sources/upstream/upstream.fixture.ts'
import {
  accepting,
  connectAnsweringClient,
  gatewayTo,
  openTo,
  type Reply,
  wrapFor,
} from './answering-client.fixture.ts'
import { eras } from './sdk-client.fixture.ts'

const CHANGING: ClientCapabilities = { roots: { listChanged: true } }

describe('a legacy server, wrapped for one client', () => {
  it('answers a legacy server that asked for roots before the client connected, and again when they change', async () => {
    const { front, problems } = await wrapFor(fixture('roots'))
    let folder = 'file:///first'
    const reply: Reply = () => ({ roots: [{ uri: folder }] })
    const { call, client } = await connectAnsweringClient(
      (await openTo({ front }, 'stdio'))(),
      'legacy',
      reply,
      CHANGING,
    )
    const first = { roots: [{ uri: 'file:///first' }] }
    await expect.poll(() => call('known')).toEqual({ declared: { listChanged: true }, heard: [first] })
    folder = 'file:///second'
    await client.sendRootsListChanged()
    const second = { roots: [{ uri: 'file:///second' }] }
    await expect.poll(() => call('known')).toMatchObject({ heard: [first, second] })
    expect(problems).toEqual([])
  })

  it('answers a legacy server with an empty list at once when the client has no roots', async () => {
    const { front } = await wrapFor(fixture('roots'))
    const { call, asked } = await connectAnsweringClient(
      (await openTo({ front }, 'stdio'))(),
      'legacy',
      accepting(),
      {},
    )
    await expect.poll(() => call('known')).toMatchObject({ heard: [{ roots: [] }] })
    expect(asked).toEqual([])
  })

  it.each(eras)('answers a legacy server with the roots of the %s client of a call over HTTP', async (era) => {
    const { front } = await wrapFor(fixture('roots'))
    const { call } = await connectAnsweringClient((await openTo({ front }, 'http'))(), era, accepting())
    expect(await call('ask')).toEqual({ roots: [{ uri: 'file:///tmp' }] })
  })

  it('gives a legacy server the roots of a modern client in its first call, even if it asked earlier', async () => {
    const { front, problems } = await wrapFor(fixture('roots'))
    const { call, asked } = await connectAnsweringClient((await openTo({ front }, 'stdio'))(), 'modern', accepting())
    const roots = { roots: [{ uri: 'file:///tmp' }] }
    const first = (await call('known')) as { heard: unknown[] } // the form of the fixture's answer
    expect(first.heard.at(-1)).toEqual(roots)
    expect(asked.map(({ method }) => method)).toEqual(['roots/list'])
    expect(await call('known')).toEqual(first)
    expect(asked).toHaveLength(1)
    expect(problems).toEqual([])
  })

  it('gives a legacy server new roots in the first call of a modern client that has roots, not of one that has none', async () => {
    const { front } = await wrapFor(fixture('roots'))
    const connect = await openTo({ front }, 'stdio')
    const without = await connectAnsweringClient(connect(), 'modern', accepting(), {})
    await expect.poll(() => without.call('known')).toMatchObject({ heard: [{ roots: [] }] })
    await without.client.close()
    const { call } = await connectAnsweringClient(connect(), 'modern', accepting())
    expect(await call('known')).toMatchObject({ heard: [{ roots: [] }, { roots: [{ uri: 'file:///tmp' }] }] })
  })

  it('does not give a server the roots of an HTTP client between calls, because another client may call next', async () => {
    const { front } = await wrapFor(fixture('roots'))
    const connect = await openTo({ front }, 'http')
    const { call, asked } = await connectAnsweringClient(connect(), 'modern', accepting())
    await call('known')
    expect(asked).toEqual([])
  })

  it('lets the filesystem server work in the folders of a modern client', async () => {
    const { front } = await wrapFor(reference('filesystem'))
    const reply: Reply = () => ({ roots: [{ uri: `file://${process.cwd()}/docs` }] })
    const { call } = await connectAnsweringClient((await openTo({ front }, 'stdio'))(), 'modern', reply)
    await expect.poll(() => call('list_allowed_directories')).toContain(`${process.cwd()}/docs`)
  })

  it('lets the filesystem server work in the folders of a legacy client', async () => {
    const { front } = await wrapFor(reference('filesystem'))
    const reply: Reply = () => ({ roots: [{ uri: `file://${process.cwd()}/docs` }] })
    const { call } = await connectAnsweringClient((await openTo({ front }, 'stdio'))(), 'legacy', reply, CHANGING)
    await expect.poll(() => call('list_allowed_directories')).toContain(`${process.cwd()}/docs`)
  })
})

describe('a gateway', () => {
  it('declares no roots to a legacy server, because it may have several clients', async () => {
    const gateway = await gatewayTo(fixture('roots'), 'known')
    const { call } = await connectAnsweringClient((await openTo(gateway, 'stdio'))(), 'legacy', accepting(), CHANGING)
    expect(await call('known')).toEqual({ declared: null, heard: [] })
  })
})

describe('a server that cannot wait for its client', () => {
  it('answers a server with an empty list, and notifies it of a change once the client is connected', async () => {
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
