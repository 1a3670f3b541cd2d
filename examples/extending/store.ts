// A store: all entries of a part in one JSON file. It is for one process only; the built-in file store is for several.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { defineStore, type Store } from 'toolcrib'

export const jsonFile = defineStore({
  name: 'json-file',
  // Each part, such as `state`, has its own file, because the same key can occur in two parts.
  open: ({ dir, part }) => createJsonStore(join(dir, `${part}.json`)),
})

type Entries = Map<string, { readonly value: unknown; readonly expiresAt: number | null }>

export function createJsonStore(file: string, now: () => number = Date.now): Store {
  // Read at the first use, because some commands never use the store.
  let opened: Promise<Entries> | undefined
  let written: Promise<void> = Promise.resolve()
  const entries = () => {
    opened ??= readFile(file, 'utf8').then(
      (text) => new Map(Object.entries(JSON.parse(text))),
      () => new Map(),
    )
    return opened
  }
  const live = (all: Entries, key: string) => {
    const entry = all.get(key)
    return entry === undefined || (entry.expiresAt ?? Number.POSITIVE_INFINITY) > now() ? entry : undefined
  }
  const save = async (all: Entries) => {
    const text = JSON.stringify(Object.fromEntries(all))
    // One write after the other, so that the last change is what the file contains.
    written = written.then(async () => {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, text, { mode: 0o600 })
    })
    await written
  }
  return {
    // A copy, because the caller may change it.
    get: async (key) => structuredClone(live(await entries(), key)?.value),
    async set(key, value, { ttlMs } = {}) {
      // Copied before the first `await`, because the caller may change the value later.
      const copy: unknown = structuredClone(value)
      const all = await entries()
      all.set(key, { value: copy, expiresAt: ttlMs === undefined ? null : now() + ttlMs })
      await save(all)
    },
    async delete(key) {
      const all = await entries()
      if (all.delete(key)) await save(all)
    },
    async *keys(prefix) {
      const all = await entries()
      for (const key of [...all.keys()]) if (key.startsWith(prefix) && live(all, key) !== undefined) yield key
    },
    [Symbol.asyncDispose]: () => written,
  }
}
