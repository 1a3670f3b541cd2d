// Tests how many processes one attempt to start a server needs.

import { describe, expect, it } from 'vitest'
import type { StdioConnection } from '../../config/server-config.ts'
import { createMemoryStore } from '../../storage/memory.ts'
import { contextOf } from '../source.fixture.ts'
import { saveManifest } from './manifest.ts'
import { fixture, signal, sourceOf } from './upstream.fixture.ts'

const node = (script: string): StdioConnection => ({
  type: 'stdio',
  command: process.execPath,
  args: ['-e', script],
  env: {},
})
const shell = (script: string): StdioConnection => ({ type: 'stdio', command: 'sh', args: ['-c', script], env: {} })
const reading = (work: string) => `process.stdin.once('data', (data) => { ${work} })`
const times = (count: number) => Array.from({ length: count })

/** Makes this many attempts and returns the number of processes of each one. */
async function startsOf(connection: StdioConnection, attempts: number): Promise<readonly number[]> {
  let time = 0
  const { source, watchdog } = sourceOf(connection, { now: () => time, options: { backgroundTries: 0 } })
  const counts: number[] = []
  for (const _ of times(attempts)) {
    const before = watchdog.seen.length
    expect(await source.call('any', {}, contextOf())).toMatchObject({ error: { code: 'SERVER_UNAVAILABLE' } })
    counts.push(watchdog.seen.length - before)
    time += 3_600_000
  }
  return counts
}

describe('a server that ends at its start', () => {
  it.each([
    ['at once', node('process.exit(3)')],
    ['with an error', node('throw new Error("no key")')],
    ['after a while', node('setTimeout(() => process.exit(1), 150)')],
    ['with much output', node('console.log("x".repeat(1e5)); console.error("no key"); process.exitCode = 1')],
    ['behind a shell', shell(`"${process.execPath}" -e "throw 1"; exit 1`)],
    ['before anything can be sent to it', shell('exit 1')],
    ['after it has read the first request', node(reading('process.exit(1)'))],
  ])('starts a server once per attempt if it ends %s', async (_, connection) => {
    expect(await startsOf(connection, 3)).toEqual([1, 1, 1])
  })

  it('connects a server as soon as it can start, in both eras', async () => {
    for (const name of ['dies-on-probe', 'modern']) {
      let time = 0
      let connection = node(reading('process.exit(1)'))
      const { source } = sourceOf(connection, { now: () => time, resolve: () => connection })
      for (const _ of times(3)) {
        await source.ensure(signal).catch(() => {})
        time += 3_600_000
      }
      connection = fixture(name)
      await source.ensure(signal)
      expect(source.state().state).toBe('connected')
    }
  })
})

describe('a cached legacy server that refuses the legacy handshake', () => {
  it('starts a cached legacy server once per attempt if it refuses for another reason than the version', async () => {
    const store = createMemoryStore()
    const known = sourceOf(fixture('notes'), { store })
    await known.source.ensure(signal)
    const manifest = await known.source.manifest()
    if (manifest === undefined) throw new Error('The server has no manifest.')
    await saveManifest(store, { ...manifest, era: 'legacy', eraAt: Date.now() })
    const error = { code: -32_603, message: 'no key' }
    const answer = `{ jsonrpc: '2.0', id: JSON.parse(data).id, error: ${JSON.stringify(error)} }`
    const refusing = node(reading(`console.log(JSON.stringify(${answer}))`))
    const { source, watchdog } = sourceOf(fixture('notes'), { store, resolve: () => refusing })
    expect(await source.call('list', {}, contextOf())).toMatchObject({
      error: { code: 'SERVER_UNAVAILABLE', message: expect.stringContaining('no key') },
    })
    expect(watchdog.seen).toHaveLength(1)
  })
})
