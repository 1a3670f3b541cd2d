import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../storage/memory.ts'
import { loadManifest, type Manifest, manifestKey, saveManifest } from './manifest.ts'
import { configOf, fixture, withEnv } from './upstream.fixture.ts'

const connection = withEnv(fixture('hang'), { A: '1', B: '2' })
const key = manifestKey(configOf(connection))
const manifest: Manifest = {
  configHash: key,
  fetchedAt: 1,
  era: 'legacy',
  eraAt: 1,
  serverInfo: { name: 'x', version: '1' },
  instructions: 'Be kind.',
  capabilities: { tools: {} },
  asks: true,
  tools: [{ name: 'a', inputSchema: { type: 'object' } }],
  problems: [{ tool: 'b', reason: 'is odd' }],
}

describe('a manifest', () => {
  it('loads a manifest as it was saved', async () => {
    const store = createMemoryStore()
    await saveManifest(store, manifest)
    expect(await loadManifest(store, key)).toEqual(manifest)
    const { serverInfo, instructions, asks, ...small } = manifest
    await saveManifest(store, small)
    expect(await loadManifest(store, key)).toEqual(small)
  })

  it.each([
    ['no entry', undefined],
    ['text', 'x'],
    ['another version of a manifest', { configHash: key, tools: [] }],
    ['the manifest of another configuration', { ...manifest, configHash: 'other' }],
  ])('loads no manifest when the store has %s', async (_, value) => {
    const store = createMemoryStore()
    if (value !== undefined) await store.set(`manifest:${key}`, value)
    expect(await loadManifest(store, key)).toBeUndefined()
  })

  it('checks stored tools like an answer of the server if their schemas are not stored as text', async () => {
    const store = createMemoryStore()
    await store.set(`manifest:${key}`, { ...manifest, format: 2, tools: [{ name: 'no schema' }, ...manifest.tools] })
    expect((await loadManifest(store, key))?.tools).toEqual(manifest.tools)
  })
})

describe('the key of a manifest', () => {
  it('the key of a manifest depends on the name and on the whole connection, and on nothing else', () => {
    const keyOf = (...args: Parameters<typeof configOf>) => manifestKey(configOf(...args))
    expect(keyOf(withEnv(fixture('hang'), { B: '2', A: '1' }))).toBe(key)
    expect(keyOf(connection, { description: 'other', timeoutMs: 5, origin: { source: 'x', file: 'y' } })).toBe(key)
    const others = [
      keyOf(connection, { name: 'other' }),
      keyOf(withEnv(fixture('hang'), { A: '1' })),
      keyOf(fixture('hang', 'more')),
      keyOf({ ...connection, cwd: '/tmp' }),
      keyOf({ type: 'http', url: 'https://x.example', headers: {} }),
    ]
    expect(new Set([key, ...others]).size).toBe(others.length + 1)
  })
})
