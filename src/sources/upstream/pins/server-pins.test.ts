import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createFileStore, fileStore } from '../../../storage/file.ts'
import { createMemoryStore } from '../../../storage/memory.ts'
import type { Store } from '../../../storage/store.ts'
import { approve, pinsKey, readRecord } from './pin-record.ts'
import { createServerPins, type Pinning } from './server-pins.ts'

const config = { name: 'notes', connection: { type: 'stdio', command: 'npx', args: ['notes@1'], env: {} } } as const

function pinsIn(store: Store, pinning: Pinning = 'block', given: typeof config | object = config) {
  const problems: string[] = []
  let changes = 0
  const pins = createServerPins({
    config: { ...config, ...given },
    pinning,
    store,
    now: () => 1,
    onChange: () => changes++,
    onProblem: (reason) => problems.push(reason),
  })
  if (pins === undefined) throw new Error('pinning is off')
  const check = async (description: string) => {
    const hashes = await pins.check(new Map([['a', { description }]]))
    return pins.changeOf('a', hashes.get('a'))
  }
  return { pins, check, problems, changes: () => changes }
}

describe('the pins of a server', () => {
  it('two gateways share the pins of a server, and the version of its package does not matter', async () => {
    const store = createMemoryStore()
    expect(await pinsIn(store).check('one')).toBeUndefined()
    const second = pinsIn(store, 'warn', { connection: { ...config.connection, args: ['notes@2'] } })
    expect(await second.check('two')).toEqual({ kind: 'changed', parts: ['description'], isBlocked: false })
  })

  it('a server with a new name and the same connection takes over the pins', async () => {
    const store = createMemoryStore()
    await pinsIn(store).check('one')
    expect(await pinsIn(store, 'block', { name: 'renamed' }).check('two')).toMatchObject({ kind: 'changed' })
  })

  it('the pins of this process change when another process stores an approval', async () => {
    const store = createMemoryStore()
    const { pins, check, changes } = pinsIn(store)
    await check('one')
    expect(await check('two')).toMatchObject({ kind: 'changed' })
    const record = readRecord(await store.get(pinsKey(config)))
    if (record === undefined) throw new Error('nothing was pinned')
    await store.set(pinsKey(config), approve(record, undefined).record)
    await expect.poll(changes).toBe(1)
    expect(await check('two')).toBeUndefined()
    pins.dispose()
  })

  it('pins the tools again and reports a problem if the pins are from another version', async () => {
    const store = createMemoryStore()
    await store.set(pinsKey(config), { version: 99 })
    const { check, problems } = pinsIn(store)
    expect(await check('one')).toBeUndefined()
    expect(problems).toEqual([expect.stringContaining('damaged or from another version of Toolcrib;')])
  })

  it('refuses each tool with `block` and allows it with `warn` if the store fails', async () => {
    const broken = { ...createMemoryStore(), get: () => Promise.reject(new Error('out of reach')) }
    expect(await pinsIn(broken).check('one')).toEqual({ kind: 'unknown', isBlocked: true })
    expect(await pinsIn(broken, 'warn').check('one')).toBeUndefined()
  })

  it.each(['the folder of the store', 'its pins'])(
    'refuses each tool with `block`, and allows it with `warn`, while %s cannot be read',
    async (what) => {
      const dir = join(mkdtempSync(join(tmpdir(), 'toolcrib-pins-')), 'store')
      onTestFinished(() => rmSync(join(dir, '..'), { recursive: true, force: true }))
      const path = what === 'the folder of the store' ? dir : pinsFile(dir, config.name)
      makeUnreadable(path)
      const block = pinsIn(createFileStore({ dir }))
      expect(await block.check('one')).toEqual({ kind: 'unknown', isBlocked: true })
      const warn = pinsIn(createFileStore({ dir }), 'warn')
      expect(await warn.check('one')).toBeUndefined()
      const problem = `its pins could not be read: Cannot read ${dir}`
      for (const { problems } of [block, warn]) expect(problems).toEqual([expect.stringContaining(problem)])
      rmSync(path)
      expect(await block.check('one')).toBeUndefined()
      expect(await warn.check('two')).toMatchObject({ kind: 'changed' })
    },
  )

  it('pins the tools of a server although the pins of another server cannot be read', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'toolcrib-pins-'))
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
    makeUnreadable(pinsFile(dir, 'another'))
    expect(await pinsIn(createFileStore({ dir })).check('one')).toBeUndefined()
    expect(await pinsIn(createFileStore({ dir })).check('two')).toMatchObject({ kind: 'changed', isBlocked: true })
  })
})

function pinsFile(dir: string, name: string): string {
  return fileStore.addressOf?.({ part: 'state', dir }, pinsKey({ ...config, name })) ?? ''
}

/** Creates a symbolic link at the path that leads to itself. The path then exists, but not even root can read it. */
function makeUnreadable(path: string): void {
  mkdirSync(join(path, '..'), { recursive: true })
  symlinkSync(path, path)
}
