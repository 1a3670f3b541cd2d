// A wrapped server asks for the roots of its clients, which are of either era.

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

describe('a wrapped legacy server', () => {
  it('gets roots that it asked for before its legacy client connected, and the new roots when they change', async () => {
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

  it('gets an empty list at once when its legacy client has no roots', async () => {
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

  it.each(eras)('gets the roots of a %s HTTP client during a call of this client', async (era) => {
    const { front } = await wrapFor(fixture('roots'))
    const { call } = await connectAnsweringClient((await openTo({ front }, 'http'))(), era, accepting())
    expect(await call('ask')).toEqual({ roots: [{ uri: 'file:///tmp' }] })
  })

  it('gets the roots of a modern client during the first call of this client, even if it asked before the call', async () => {
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

  it('gets an empty list from a modern client without roots, and the roots of the next client in the first call', async () => {
    const { front } = await wrapFor(fixture('roots'))
    const connect = await openTo({ front }, 'stdio')
    const without = await connectAnsweringClient(connect(), 'modern', accepting(), {})
    await expect.poll(() => without.call('known')).toMatchObject({ heard: [{ roots: [] }] })
    await without.client.close()
    const { call } = await connectAnsweringClient(connect(), 'modern', accepting())
    expect(await call('known')).toMatchObject({ heard: [{ roots: [] }, { roots: [{ uri: 'file:///tmp' }] }] })
  })

  it('does not get the roots of an HTTP client between calls, because another client may call next', async () => {
    const { front } = await wrapFor(fixture('roots'))
    const connect = await openTo({ front }, 'http')
    const { call, asked } = await connectAnsweringClient(connect(), 'modern', accepting())
    await call('known')
    expect(asked).toEqual([])
  })

  it('works in the folders of a modern client (filesystem server)', async () => {
    const { front } = await wrapFor(reference('filesystem'))
    const reply: Reply = () => ({ roots: [{ uri: `file://${process.cwd()}/docs` }] })
    const { call } = await connectAnsweringClient((await openTo({ front }, 'stdio'))(), 'modern', reply)
    await expect.poll(() => call('list_allowed_directories')).toContain(`${process.cwd()}/docs`)
  })

  it('works in the folders of a legacy client (filesystem server)', async () => {
    const { front } = await wrapFor(reference('filesystem'))
    const reply: Reply = () => ({ roots: [{ uri: `file://${process.cwd()}/docs` }] })
    const { call } = await connectAnsweringClient((await openTo({ front }, 'stdio'))(), 'legacy', reply, CHANGING)
    await expect.poll(() => call('list_allowed_directories')).toContain(`${process.cwd()}/docs`)
  })
})

describe('a gateway', () => {
  it('declares no roots to a legacy server, because a gateway may have several clients', async () => {
    const gateway = await gatewayTo(fixture('roots'), 'known')
    const { call } = await connectAnsweringClient((await openTo(gateway, 'stdio'))(), 'legacy', accepting(), CHANGING)
    expect(await call('known')).toEqual({ declared: null, heard: [] })
  })
})

describe('createWrapRoots', () => {
  it('answers with an empty list while no client gives its roots, and reports a change when a client connects', async () => {
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
