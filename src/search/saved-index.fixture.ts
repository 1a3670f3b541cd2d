// For tests: a ranker that saves each index and opens it again before it is used.

import { openTools, saveTools } from '../catalog/saved-tools.ts'
import type { Sections } from '../storage/section-file.ts'
import type { IndexStorage, Ranker } from './ranker.ts'

/** Returns each section as a copy, as a file does. */
const fileOf = (sections: Sections) => ({
  section: (name: string) => Uint8Array.from(sections[name] ?? []),
  part: (name: string, from: number, to: number) => Uint8Array.from((sections[name] ?? []).slice(from, to)),
})

export function fromFile(ranker: Ranker, storage: IndexStorage): Ranker {
  return async (snapshot, signal) => {
    const file = fileOf({ ...saveTools(snapshot.tools), ...storage.save(await ranker(snapshot, signal)) })
    return storage.open(file, openTools(file))
  }
}
