// Keeps the directory of a file store small: removes expired entries, old temporary files and the oldest entries.

import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { removeIf, TEMPORARY } from './atomic-file.ts'
import { isEntryName, readEntry } from './entry-file.ts'

interface SweepOptions {
  readonly dir: string
  readonly maxEntries: number
  readonly now: () => number
  /**
   * Whether the store holds a change of the entry with this file name. The sweep keeps its file until the file expires,
   * because the store treats a file that disappears earlier as deleted by another process.
   */
  readonly isHeld: (name: string) => boolean
}

/** How many entries one sweep reads in search of expired ones. Over many sweeps every entry is read. */
const MAX_READ = 100
/** No write takes an hour. The process of an older temporary file has ended. */
const ABANDONED_MS = 3_600_000

/** Never rejects. A file that cannot be removed now is tried again in the next sweep. */
export async function sweep({ dir, maxEntries, now, isHeld }: SweepOptions): Promise<void> {
  const names = await readdir(dir).catch(() => [])
  const entries = names.filter(isEntryName)
  // Starts at a random entry: several processes with few sweeps each should not all check the same entries.
  const start = Math.floor(Math.random() * entries.length)
  const checked = [...entries.slice(start), ...entries.slice(0, start)].slice(0, MAX_READ)
  const removed = new Set<string>()
  for (const name of checked) if (await removeExpired(join(dir, name), now)) removed.add(name)

  const kept = entries.filter((name) => !removed.has(name))
  if (kept.length > maxEntries) await removeOldest(dir, kept, kept.length - maxEntries, isHeld)
  await removeAbandoned(names.filter((name) => name.endsWith(TEMPORARY)).map((name) => join(dir, name)))
}

export async function removeExpired(path: string, now: () => number): Promise<boolean> {
  const isExpired = async (at: string) => {
    // A damaged file is not reported here; `get` of the store reports it.
    const entry = readEntry(at)
    return entry !== undefined && entry.expiresAt <= now()
  }
  return (await isExpired(path)) && removeIf(path, isExpired)
}

async function removeOldest(
  dir: string,
  names: readonly string[],
  count: number,
  isHeld: SweepOptions['isHeld'],
): Promise<void> {
  const dated = await Promise.all(names.map(async (name) => ({ name, at: await modifiedAt(join(dir, name)) })))
  let left = count
  for (const { name, at } of dated.sort((a, b) => a.at - b.at)) {
    if (left === 0) return
    // Asked as late as possible, because the disk can refuse a change during the sweep.
    if (isHeld(name)) continue
    await removeIf(join(dir, name), async (aside) => (await modifiedAt(aside)) === at)
    left -= 1
  }
}

async function removeAbandoned(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    // Uses the clock of the file system. The store may have another clock in tests.
    if (Date.now() - (await modifiedAt(path)) > ABANDONED_MS) await rm(path, { force: true }).catch(() => {})
  }
}

/** Returns infinity for a file that is gone, so that it is never the oldest and never abandoned. */
async function modifiedAt(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined)
  return found?.mtimeMs ?? Number.POSITIVE_INFINITY
}
