import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { removeIf } from './atomic-file.ts'
import { makeTempDir, runChild, startChild } from './child.fixture.ts'
import { createFileStore } from './file.ts'
import type { StorageProblem } from './problem.ts'
import { removeFolder } from './remove-folder.fixture.ts'
import { collect } from './store.contract.ts'

const IDS = ['a', 'b', 'c', 'd']

let dir: string
let problems: StorageProblem[]
beforeEach(async () => {
  dir = await makeTempDir()
  problems = []
})
afterEach(() => removeFolder(dir))

function openStore() {
  return createFileStore({ dir, onProblem: (problem) => problems.push(problem) })
}

describe('a file store that several processes share', { timeout: 60_000 }, () => {
  it('never reads half an entry and never loses one while several processes write', async () => {
    const runs = await Promise.all(IDS.map((id) => runChild('store-writer', [dir, id, '100'])))
    for (const run of runs) expect(run).toMatchObject({ problems: [], broken: 0 })
    const store = openStore()
    for (const id of IDS) {
      const values = await Promise.all(Array.from({ length: 20 }, (_, n) => store.get(`own/${id}/${n}`)))
      expect(values).toEqual(Array.from({ length: 20 }, (_, n) => 80 + n))
    }
    expect(await collect(store.keys('own/'))).toHaveLength(80)
    expect(await store.get('shared')).toMatchObject({ round: expect.any(Number) })
    expect((await readdir(dir)).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  it('survives a process that is killed during a write', async () => {
    for (let n = 0; n < 3; n += 1) {
      const child = startChild('store-writer', [dir, 'a', '100000'])
      if (child.stdout === null) throw new Error('no output')
      const ended = once(child, 'exit')
      await once(child.stdout, 'data')
      child.kill('SIGKILL')
      await ended
      const store = openStore()
      for await (const key of store.keys('')) await store.get(key)
      expect(await store.get('shared')).toMatchObject({ id: 'a' })
    }
    expect(problems).toEqual([])
  })

  it.runIf(process.platform !== 'win32')(
    'keeps entries in memory on a full disk, and leaves the entries of other processes alone',
    async () => {
      await openStore().set('shared', 'from before')
      const run = await runChild('store-writer', [dir, 'a', '3'], { maxFileBlocks: 0 })
      expect(run).toMatchObject({ problems: ['unwritable'], broken: 0, shared: { round: 2 } })
      expect(await openStore().get('shared')).toBe('from before')
      expect(await readdir(dir)).toHaveLength(1)
    },
  )
})

describe('removeIf', () => {
  it('puts the file back if the second check finds that it is not stale', async () => {
    const store = openStore()
    await store.set('a', 'new')
    const [name = ''] = await readdir(dir)
    expect(await removeIf(`${dir}/${name}`, async () => false)).toBe(false)
    expect(await store.get('a')).toBe('new')
    expect(await readdir(dir)).toEqual([name])
  })

  it('keeps a newer file that another process writes during the second check', async () => {
    const store = openStore()
    await store.set('a', 'old')
    const [name = ''] = await readdir(dir)
    const checkDuringWrite = async () => {
      await store.set('a', 'newest')
      return false
    }
    await removeIf(`${dir}/${name}`, checkDuringWrite)
    expect(await store.get('a')).toBe('newest')
    expect(await readdir(dir)).toEqual([name])
  })

  it('returns false if the file does not exist', async () => {
    expect(await removeIf(`${dir}/gone`, async () => true)).toBe(false)
  })
})
