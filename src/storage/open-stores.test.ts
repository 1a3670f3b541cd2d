import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { chooseStore, entryFileFinder, storeOpener } from './open-stores.ts'
import { defineStore, isStorePlugin, type StoreOpenOptions } from './store.ts'

const folders = { stateDir: join('/', 'state'), cacheDir: join('/', 'cache') }
const opened: StoreOpenOptions[] = []
const { open: openInMemory } = chooseStore('memory')
const mine = defineStore({
  name: 'mine',
  open(options) {
    opened.push(options)
    return openInMemory(options)
  },
})

describe('chooseStore', () => {
  it('uses the file store if no store is named, and the stores of the user before built-in ones', () => {
    expect(chooseStore().name).toBe('file')
    expect(chooseStore('mine', [mine])).toBe(mine)
    const other = defineStore({ ...mine, name: 'file' })
    expect(chooseStore('file', [other])).toBe(other)
  })

  it('refuses an unknown name and lists the known ones', () => {
    expect(() => chooseStore('nope', [mine])).toThrow(
      /there is no store 'nope'.*'mine', 'file', 'memory', 'redis:\/\/…'/s,
    )
  })
})

describe('storeOpener', () => {
  it('gives each part its own folder', () => {
    const open = storeOpener(mine, folders)
    for (const part of ['state', 'manifests', 'results'] as const) open(part)
    expect(opened).toEqual([
      { part: 'state', dir: join('/', 'state', 'store') },
      { part: 'manifests', dir: join('/', 'cache', 'manifests') },
      { part: 'results', dir: join('/', 'cache', 'results') },
    ])
  })
})

describe('entryFileFinder', () => {
  it('gives the same key another path in another part', () => {
    const pathOf = entryFileFinder(chooseStore('file'), folders)
    expect(pathOf?.('manifests', 'a')).toMatch(/^[/\\]cache[/\\]manifests[/\\]./)
    expect(pathOf?.('state', 'a')).toMatch(/^[/\\]state[/\\]store[/\\]./)
  })

  it('is undefined for a store without files', () => {
    for (const wanted of ['memory', 'redis://127.0.0.1:1']) {
      expect(entryFileFinder(chooseStore(wanted), folders)).toBeUndefined()
    }
  })
})

describe('defineStore', () => {
  it.each([
    [undefined, 'it is not an object'],
    [{ open: mine.open }, 'it has no name'],
    [{ name: 'mine' }, 'it has no function open'],
  ])('refuses %j as a store, with a reason', (given, reason) => {
    expect(isStorePlugin(given)).toBe(false)
    // The type checker refuses these values, JavaScript callers can still pass them.
    expect(() => defineStore(given as never)).toThrow(reason)
  })
})

it.each([
  '"redis://admin:s3cretPW@host:1"',
  "'redis://admin:s3cretPW@host:1'",
  ' redis://admin:s3cretPW@host:1',
  'redis//admin:s3cretPW@host',
])('shows no part of %s, which can be an address with a typing error', (wanted) => {
  const refused = () => chooseStore(wanted)
  expect(refused).toThrow('it is neither the name of a store nor an address')
  expect(refused).not.toThrow(/admin|s3cretPW|host/)
})
