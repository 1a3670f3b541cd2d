import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { withResolvers } from '../core/waiting.ts'
import { entryOf, scriptedSource } from '../sources/source.fixture.ts'
import { type Catalog, createCatalog } from './catalog.ts'

const { signal } = new AbortController()
const open: Catalog[] = []

afterEach(async () => {
  for (const catalog of open.splice(0)) await catalog[Symbol.asyncDispose]()
})

function catalogOf(...sources: Parameters<typeof createCatalog>[0]): Catalog {
  const catalog = createCatalog(sources)
  open.push(catalog)
  return catalog
}

const idsIn = async (catalog: Catalog) => (await catalog.snapshot(signal)).tools.map((tool) => tool.id)

describe('a catalog', () => {
  it('lists each source once, even if several callers ask for a snapshot at the same time', async () => {
    const [a, b] = [scriptedSource('a', ['x']), scriptedSource('b', ['y'])]
    const catalog = catalogOf(a, b)
    expect(a.timesListed()).toBe(0)
    const snapshots = await Promise.all([1, 2, 3].map(() => catalog.snapshot(signal)))
    expect(new Set([...snapshots, await catalog.snapshot(signal)]).size).toBe(1)
    expect([a.timesListed(), b.timesListed()]).toEqual([1, 1])
  })

  it('shows the tools of the working sources if one source fails, and keeps the reason of the failure', async () => {
    const [a, b] = [scriptedSource('a', ['x']), scriptedSource('b', ['y'])]
    b.script(new Error('no route to b'))
    const catalog = catalogOf(a, b)
    expect(await idsIn(catalog)).toEqual(['a:x'])
    expect([...catalog.stale]).toEqual([['b', 'no route to b']])
  })

  it('keeps the last good list of a source that fails later, and clears the failure when the source works again', async () => {
    const [a, b] = [scriptedSource('a', ['x']), scriptedSource('b', ['y'])]
    const catalog = catalogOf(a, b)
    await idsIn(catalog)
    b.script(new Error('gone'))
    b.announce()
    expect(await idsIn(catalog)).toEqual(['a:x', 'b:y'])
    expect([...catalog.stale.keys()]).toEqual(['b'])
    b.script([entryOf('z')])
    b.announce()
    expect(await idsIn(catalog)).toEqual(['a:x', 'b:z'])
    expect(catalog.stale.size).toBe(0)
  })

  it('marks a source as failed if it throws a text instead of an Error before it returns a promise', async () => {
    const thrower = scriptedSource('a', [])
    const catalog = catalogOf(
      {
        ...thrower,
        list: () => {
          throw 'just words'
        },
      },
      scriptedSource('b', ['y']),
    )
    expect(await idsIn(catalog)).toEqual(['b:y'])
    expect(catalog.stale.get('a')).toBe('just words')
  })

  it('finds its sources by id', () => {
    const a = scriptedSource('a', [])
    const catalog = catalogOf(a)
    expect(catalog.source('a')).toBe(a)
    expect(catalog.source('b')).toBeUndefined()
  })

  it('rejects a snapshot call if its signal is already aborted', async () => {
    await expect(catalogOf(scriptedSource('a', ['x'])).snapshot(AbortSignal.abort())).rejects.toThrow('aborted')
  })

  it('stops waiting for a slow source when the signal of the caller is aborted', async () => {
    const slow = scriptedSource('slow', [])
    const listing = withResolvers<never[]>()
    slow.script(listing.promise)
    const catalog = catalogOf(slow)
    const controller = new AbortController()
    let outcome = 'waiting'
    const waiting = catalog.snapshot(controller.signal).then(
      () => 'answered',
      () => 'stopped',
    )
    void waiting.then((how) => {
      outcome = how
    })
    controller.abort()
    await new Promise((resolve) => setImmediate(resolve))
    listing.resolve([])
    expect(outcome).toBe('stopped')
  })
})

describe('a catalog after a change of a source', () => {
  it('lists only the source that announced a change', async () => {
    const [a, b] = [scriptedSource('a', ['x']), scriptedSource('b', ['y'])]
    const catalog = catalogOf(a, b)
    await idsIn(catalog)
    a.script([entryOf('x'), entryOf('x2')])
    a.announce()
    expect(await idsIn(catalog)).toEqual(['a:x', 'a:x2', 'b:y'])
    expect([a.timesListed(), b.timesListed()]).toEqual([2, 1])
  })

  it('creates a new snapshot and leaves the old one unchanged', async () => {
    const a = scriptedSource('a', ['x'])
    const catalog = catalogOf(a)
    const before = await catalog.snapshot(signal)
    a.script([])
    a.announce()
    expect((await catalog.snapshot(signal)).tools).toEqual([])
    expect(before.tools).toHaveLength(1)
  })

  it('keeps the same object for a tool that did not change', async () => {
    const [a, b] = [scriptedSource('a', ['x']), scriptedSource('b', ['y'])]
    const catalog = catalogOf(a, b)
    const before = await catalog.snapshot(signal)
    b.script([entryOf('z')])
    b.announce()
    const after = await catalog.snapshot(signal)
    expect(after.get('a:x')).toBe(before.get('a:x'))
  })

  it('includes a change that was announced before the first snapshot', async () => {
    const [a, b] = [scriptedSource('a', ['x']), scriptedSource('b', ['y'])]
    const catalog = catalogOf(a, b)
    a.script([entryOf('z')])
    a.announce()
    expect(await idsIn(catalog)).toEqual(['a:z', 'b:y'])
  })

  it('does not lose a change if another source is slow to list its tools', async () => {
    const [a, b] = [scriptedSource('a', ['x']), scriptedSource('b', ['y'])]
    const catalog = catalogOf(a, b)
    await idsIn(catalog)
    const slow = withResolvers<ReturnType<typeof entryOf>[]>()
    a.script(slow.promise)
    a.announce()
    b.script([entryOf('y2')])
    b.announce()
    slow.resolve([entryOf('x2')])
    expect(await idsIn(catalog)).toEqual(['a:x2', 'b:y2'])
  })

  it('gives a snapshot of the last good list of each source after any sequence of changes and failures', async () => {
    const step = fc.record({ source: fc.nat(2), count: fc.nat(3), broken: fc.boolean(), wait: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const sources = ['a', 'b', 'c'].map((id) => scriptedSource(id, []))
        const lists = new Map(sources.map((source) => [source.id, [] as string[]]))
        const catalog = createCatalog(sources)
        for (const { source: index, count, broken, wait } of steps) {
          const source = sources[index % sources.length]!
          const names = Array.from({ length: count }, (_, n) => `t${n}`)
          if (broken) {
            // The catalog can keep only a list that it has read before the source failed.
            await catalog.snapshot(signal)
            source.script(new Error('broken'))
          } else {
            source.script(names.map((name) => entryOf(name)))
            lists.set(source.id, names)
          }
          source.announce()
          if (wait) await catalog.snapshot(signal)
        }
        const expected = [...lists].flatMap(([id, names]) => names.map((name) => `${id}:${name}`))
        expect(await idsIn(catalog)).toEqual(expected)
        await catalog[Symbol.asyncDispose]()
      }),
    )
  })

  it('notifies listeners after the new snapshot exists, until they unsubscribe', async () => {
    const a = scriptedSource('a', ['x'])
    const catalog = catalogOf(a)
    const seen: Promise<string[]>[] = []
    const stop = catalog.onChange(() => void seen.push(idsIn(catalog)))
    a.script([entryOf('z')])
    a.announce()
    await idsIn(catalog)
    expect(await Promise.all(seen)).toEqual([['a:z']])
    stop()
    a.announce()
    await idsIn(catalog)
    expect(seen).toHaveLength(1)
  })
})

describe('replacing the sources of a catalog', () => {
  it('removes the old sources without closing them, and does not list the kept ones again', async () => {
    const [kept, removed, added] = [scriptedSource('a', ['x']), scriptedSource('b', ['y']), scriptedSource('c', ['z'])]
    const catalog = catalogOf(kept, removed)
    await idsIn(catalog)
    catalog.replace([added, kept])
    expect(await idsIn(catalog)).toEqual(['a:x', 'c:z'])
    expect([kept.timesListed(), removed.listenerCount(), removed.timesDisposed()]).toEqual([1, 0, 0])
    expect(catalog.sources).toEqual([added, kept])
  })

  it('lists the tools of a new source even if it has the name of an old one', async () => {
    const catalog = catalogOf(scriptedSource('a', ['x']))
    await idsIn(catalog)
    catalog.replace([scriptedSource('a', ['y'])])
    expect(await idsIn(catalog)).toEqual(['a:y'])
  })

  it('applies new rules, which disable and tag tools', async () => {
    const a = scriptedSource('a', ['x', 'y'])
    const catalog = catalogOf(a)
    const before = await catalog.snapshot(signal)
    catalog.replace([a], (_, name) => ({ enabled: name !== 'x', rule: 2, tags: ['seen'] }))
    const { tools } = await catalog.snapshot(signal)
    expect(tools).toMatchObject([
      { name: 'x', disabled: { rule: 2 }, tags: ['seen'] },
      { name: 'y', tags: ['seen'] },
    ])
    expect(before.tools[0]).not.toHaveProperty('disabled')
  })
})

describe('settling a catalog', () => {
  const slowSource = (id: string, settling: Promise<void>) => ({ ...scriptedSource(id, [id]), settle: () => settling })

  it('waits for sources that do not know their tools yet, but not longer than `waitMs`', async () => {
    const ready = withResolvers<void>()
    const catalog = catalogOf(slowSource('a', ready.promise), scriptedSource('b', []))
    let isSettled = false
    const settling = catalog.settle(signal).then(() => {
      isSettled = true
    })
    await catalog.settle(signal, { waitMs: 10 })
    expect(isSettled).toBe(false)
    ready.resolve()
    await settling
  })

  it('settles only the sources given in `ids`', async () => {
    const catalog = catalogOf(slowSource('a', new Promise(() => {})), scriptedSource('b', []))
    await catalog.settle(signal, { ids: ['b', 'unknown'] })
  })

  it('waits for a source that never settles only until the wait time of this source is over', async () => {
    let leftMs = 20
    const never = { ...slowSource('a', new Promise(() => {})), waitLeft: () => leftMs }
    const catalog = catalogOf(never, scriptedSource('b', []))
    await catalog.settle(signal, { waitMs: 60_000, countsFromStart: true })
    leftMs = 0
    await catalog.settle(signal, { countsFromStart: true })
  })

  it('rejects the wait when the signal of the caller is aborted', async () => {
    const catalog = catalogOf(slowSource('a', new Promise(() => {})))
    const leaving = new AbortController()
    const settling = catalog.settle(leaving.signal)
    leaving.abort()
    await expect(settling).rejects.toThrow('aborted')
  })
})

describe('a catalog with broken parts', () => {
  /** Returns the unhandled rejections of the work. Outside of a test, each would end the process. */
  async function unhandledIn(work: () => Promise<void>): Promise<unknown[]> {
    const unhandled: unknown[] = []
    const note = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', note)
    await work()
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', note)
    return unhandled
  }

  it('notifies the other listener if one listener throws, and leaves no unhandled rejection', async () => {
    let told = 0
    const unhandled = await unhandledIn(async () => {
      const a = scriptedSource('a', ['x'])
      const catalog = catalogOf(a)
      catalog.onChange(() => {
        throw new Error('listener')
      })
      catalog.onChange(() => told++)
      a.announce()
      await idsIn(catalog)
    })
    expect(told).toBe(1)
    expect(unhandled).toEqual([])
  })

  const nameless = 'expected a tool with a text as its name, found an object'
  it.each<[what: string, list: unknown, fault: string]>([
    ['an object', { tools: [] }, 'expected a list of tools, found an object'],
    ['nothing', undefined, 'expected a list of tools, found nothing'],
    ['a text', 'xy', "expected a list of tools, found 'xy'"],
    ['an entry without a name', [entryOf('x2'), {}], `entry 2: ${nameless}`],
    ['an entry with a number as its name', [entryOf('x2'), { ...entryOf('x3'), name: 7 }], `entry 2: ${nameless}`],
    ['null as an entry', [null], 'entry 1: expected a tool with a text as its name, found null'],
  ])(
    'keeps the last good list of a source that lists %s, and names the source and the fault',
    async (_, list, fault) => {
      const unhandled = await unhandledIn(async () => {
        const [a, b] = [scriptedSource('a', ['x']), scriptedSource('b', ['y'])]
        const catalog = catalogOf(a, b)
        await idsIn(catalog)
        // Code in plain JavaScript may list anything.
        a.script(list as [])
        a.announce()
        b.script([entryOf('z')])
        b.announce()
        expect(await idsIn(catalog)).toEqual(['a:x', 'b:z'])
        expect([...catalog.stale]).toEqual([['a', `The list of source 'a' is invalid: ${fault}`]])
        a.script([entryOf('x4')])
        a.announce()
        expect(await idsIn(catalog)).toEqual(['a:x4', 'b:z'])
        expect(catalog.stale.size).toBe(0)
      })
      expect(unhandled).toEqual([])
    },
  )

  it('shows the tools of the working sources if the first list of a source is not an array', async () => {
    const a = scriptedSource('a', [])
    a.script({ tools: [] } as unknown as [])
    const catalog = catalogOf(a, scriptedSource('b', ['y']))
    expect(await idsIn(catalog)).toEqual(['b:y'])
    expect([...catalog.stale.keys()]).toEqual(['a'])
  })

  it('takes snapshots again after two updates at the same time have failed, and leaves no unhandled rejection', async () => {
    const unhandled = await unhandledIn(async () => {
      const a = scriptedSource('a', ['x'])
      const catalog = catalogOf(a)
      await idsIn(catalog)
      catalog.replace([a], () => {
        throw new Error('broken rule')
      })
      a.announce()
      await expect(catalog.snapshot(signal)).rejects.toThrow('broken rule')
      catalog.replace([a])
      expect(await idsIn(catalog)).toEqual(['a:x'])
    })
    expect(unhandled).toEqual([])
  })
})

describe('closing a catalog', () => {
  it('closes every source and stops listening to it, even if the catalog is closed twice', async () => {
    const [a, b] = [scriptedSource('a', ['x']), scriptedSource('b', ['y'])]
    const catalog = createCatalog([a, b])
    await catalog.snapshot(signal)
    await catalog[Symbol.asyncDispose]()
    await catalog[Symbol.asyncDispose]()
    expect([a.listenerCount(), b.listenerCount()]).toEqual([0, 0])
    expect(a.timesDisposed()).toBeGreaterThan(0)
    expect(b.timesDisposed()).toBeGreaterThan(0)
  })

  it('closes the other sources if one source fails to close', async () => {
    const b = scriptedSource('b', [])
    const broken = { ...scriptedSource('a', []), [Symbol.asyncDispose]: () => Promise.reject(new Error('stuck')) }
    await createCatalog([broken, b])[Symbol.asyncDispose]()
    expect(b.timesDisposed()).toBe(1)
  })

  it('aborts a list call that is in flight when the catalog is closed', async () => {
    let given: AbortSignal | undefined
    const catalog = createCatalog([
      {
        ...scriptedSource('a', []),
        list: (own) => {
          given = own
          return new Promise((_, reject) => own.addEventListener('abort', () => reject(own.reason)))
        },
      },
    ])
    const waiting = catalog.snapshot(signal)
    await catalog[Symbol.asyncDispose]()
    expect(given?.aborted).toBe(true)
    expect((await waiting).tools).toEqual([])
  })
})
