// Reports changed entries of a file store. It polls for changes by other processes: network drives lose file events.

import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { attempt } from '../core/listeners.ts'
import { isAbsent } from '../core/text.ts'
import { entryName, isEntryName, mayStartWith, readEntry } from './entry-file.ts'
import { ABSENT, stampOf } from './file-stamp.ts'

/** A change of another process is reported after this time at the latest, plus the time of one scan. */
const POLL_MS = 200
/** Two changes within the resolution of the file system's clock have the same time. The coarsest resolution is 2 s. */
const CLOCK_STEP_MS = 2_000

/** An entry file as the last scan saw it. */
interface Seen {
  readonly key: string
  readonly stamp: string
}

interface Watched {
  readonly prefix: string
  /** By file name. */
  readonly seen: Map<string, Seen>
  listener(key: string): void
}

/**
 * Each poll takes one `stat`: a change of an entry is a rename or a removal, which changes the time of the folder. If
 * the folder may have changed, the poll checks the files with a watched prefix. The timer runs only while there is a
 * watch.
 */
export function createFolderWatch(dir: string) {
  const watches = new Set<Watched>()
  let timer: NodeJS.Timeout | undefined
  /** The stamp of the folder at the last scan. */
  let lastStamp: string | undefined
  /** False if another change may still get the same time as the last change of the folder. */
  let isSettled = false

  /** True if the folder may contain changes since the last scan. */
  const mayDiffer = (): boolean => {
    const { stamp, mtimeMs } = folderStamp(dir)
    const isSame = stamp === lastStamp && isSettled
    lastStamp = stamp
    isSettled = Date.now() - mtimeMs > CLOCK_STEP_MS
    return !isSame
  }
  const scan = () => {
    if (!mayDiffer()) return
    try {
      const names = entryNames(dir)
      for (const watch of [...watches])
        for (const key of changesIn(dir, names, watch)) attempt(() => watch.listener(key))
    } catch {
      // A folder that cannot be read, for example because this process has too many open files, is not an empty folder.
      lastStamp = undefined
    }
  }
  const stop = () => {
    clearInterval(timer)
    timer = undefined
  }

  return {
    /** Reports changes that happen after this call. The returned function ends the watch. */
    add(prefix: string, listener: (key: string) => void): () => void {
      const watch: Watched = { prefix, seen: new Map(), listener }
      watches.add(watch)
      try {
        changesIn(dir, entryNames(dir), watch)
      } catch {
        // The next poll reads the folder, and reports its entries as changes.
        lastStamp = undefined
      }
      timer ??= setInterval(scan, POLL_MS).unref()
      return () => {
        watches.delete(watch)
        if (watches.size === 0) stop()
      }
    },
    /** Reports a change of this process at once, so that the next poll does not report it again. */
    changed(key: string) {
      if (watches.size === 0) return
      const name = entryName(key)
      const stamp = stampOf(join(dir, name))
      for (const { prefix, seen, listener } of [...watches]) {
        if (!key.startsWith(prefix)) continue
        seen.set(name, { key, stamp })
        attempt(() => listener(key))
      }
    },
    close() {
      watches.clear()
      stop()
    },
  }
}

/** Returns the keys of changed files, and updates `seen`. */
function changesIn(dir: string, names: readonly string[], { prefix, seen }: Watched): readonly string[] {
  const changed: string[] = []
  const present = new Set<string>()
  for (const name of names) {
    if (!mayStartWith(name, prefix)) continue
    present.add(name)
    const path = join(dir, name)
    const stamp = stampOf(path)
    const before = seen.get(name)
    if (before?.stamp === stamp) continue
    const key = before?.key ?? readEntry(path)?.key
    // The file name may show only the start of the key. The key inside the file shows whether it has the prefix.
    if (key === undefined || !key.startsWith(prefix) || entryName(key) !== name) continue
    seen.set(name, { key, stamp })
    changed.push(key)
  }
  for (const [name, { key, stamp }] of seen) {
    if (present.has(name)) continue
    seen.delete(name)
    // A key that this process has deleted was reported by `changed`.
    if (stamp !== ABSENT) changed.push(key)
  }
  return changed
}

/** Throws if the folder exists and cannot be read. */
function entryNames(dir: string): readonly string[] {
  try {
    return readdirSync(dir).filter(isEntryName)
  } catch (error) {
    if (isAbsent(error)) return []
    throw error
  }
}

function folderStamp(dir: string): { readonly stamp: string; readonly mtimeMs: number } {
  try {
    const stat = statSync(dir, { throwIfNoEntry: false })
    if (stat !== undefined) return { stamp: `${stat.ino} ${stat.mtimeMs} ${stat.ctimeMs}`, mtimeMs: stat.mtimeMs }
  } catch {
    // `entryNames` returns no names if the folder does not exist, and throws if it cannot be read.
  }
  return { stamp: '', mtimeMs: 0 }
}
