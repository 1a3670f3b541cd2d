// Reports when files change, are replaced, created or removed. Polling finds changes that have no event.

import { type FSWatcher, realpathSync, statSync, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { attempt } from '../core/listeners.ts'
import { stampOf } from '../storage/file-stamp.ts'

export interface WatchOptions {
  /** How long files must stay unchanged before a change is reported: editors write several times. */
  readonly debounceMs?: number
  /** How often to poll. Polling finds changes without an event, for example in network folders. */
  readonly pollMs?: number
  readonly signal?: AbortSignal
  /** Called with an error that `onChange` throws. Watching continues. */
  readonly onError?: (error: unknown) => void
}

export interface ConfigWatch {
  /** Watches these files from now on: a new config may name other sources. */
  update(files: readonly string[]): void
  /** Stops all reports. `onChange` may call it. */
  close(): void
  [Symbol.dispose](): void
}

export type OnChange = (changed: readonly string[]) => void | Promise<void>

/** A file that changes all the time is reported after about this many debounce times. */
const MAX_DEBOUNCES = 10

export function watchConfig(files: readonly string[], onChange: OnChange, options: WatchOptions = {}): ConfigWatch {
  return new ConfigWatcher(files, onChange, options)
}

class ConfigWatcher implements ConfigWatch {
  #files: readonly string[] = []
  readonly #onChange: OnChange
  readonly #options: WatchOptions
  readonly #debounceMs: number
  /** The stamp of each file at its last report, or when its watch began. */
  readonly #reported = new Map<string, string>()
  readonly #folders = new Map<string, { readonly watcher: FSWatcher; readonly identity: string }>()
  #pollTimer: NodeJS.Timeout
  #debounceTimer: NodeJS.Timeout | undefined
  #firstEventAt: number | undefined
  #isRunning = false
  #isClosed = false
  readonly #onAbort = () => this.close()

  constructor(files: readonly string[], onChange: OnChange, options: WatchOptions) {
    this.#onChange = onChange
    this.#options = options
    this.#debounceMs = options.debounceMs ?? 100
    this.update(files)
    this.#pollTimer = setInterval(() => this.#poll(), options.pollMs ?? 2_000).unref()
    options.signal?.addEventListener('abort', this.#onAbort)
    if (options.signal?.aborted === true) this.close()
  }

  update(files: readonly string[]): void {
    if (this.#isClosed) return
    this.#files = [...new Set(files)]
    for (const file of this.#reported.keys()) if (!this.#files.includes(file)) this.#reported.delete(file)
    for (const file of this.#files) if (!this.#reported.has(file)) this.#reported.set(file, stampOf(file))
    this.#detach()
    this.#attach()
  }

  close(): void {
    this.#isClosed = true
    this.#options.signal?.removeEventListener('abort', this.#onAbort)
    clearInterval(this.#pollTimer)
    clearTimeout(this.#debounceTimer)
    this.#detach()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #poll(): void {
    this.#attach()
    if (this.#debounceTimer === undefined && this.#changedFiles().length > 0) this.#scheduleReport()
  }

  /** Watches folders instead of files: a watcher of a file ends when the file is replaced. */
  #attach(): void {
    for (const [folder, names] of foldersOf(this.#files)) {
      const identity = identityOf(folder)
      const attached = this.#folders.get(folder)
      if (attached !== undefined && attached.identity === identity) continue
      attached?.watcher.close()
      this.#folders.delete(folder)
      if (identity === undefined) continue
      try {
        const watcher = watch(folder, { persistent: false }, (_, name) => {
          if (name === null || names.has(name)) this.#scheduleReport()
        })
        watcher.on('error', () => {
          watcher.close()
          this.#folders.delete(folder)
        })
        this.#folders.set(folder, { watcher, identity })
      } catch {
        // The system has no more watchers, or none for this folder. Polling finds the changes in the folder.
      }
    }
  }

  #detach(): void {
    for (const { watcher } of this.#folders.values()) watcher.close()
    this.#folders.clear()
  }

  #scheduleReport(): void {
    if (this.#isClosed) return
    this.#firstEventAt ??= performance.now()
    const waitedMs = performance.now() - this.#firstEventAt
    if (this.#debounceTimer !== undefined && waitedMs > this.#debounceMs * MAX_DEBOUNCES) return
    clearTimeout(this.#debounceTimer)
    this.#debounceTimer = setTimeout(() => this.#reportChanges(), this.#debounceMs).unref()
  }

  #reportChanges(): void {
    this.#debounceTimer = undefined
    this.#firstEventAt = undefined
    // One report at a time. Changes during a report are found when it ends.
    if (this.#isRunning) return
    const changed = this.#changedFiles()
    if (changed.length === 0) return
    for (const file of changed) this.#reported.set(file, stampOf(file))
    void this.#notify(changed)
  }

  /** Calls `onChange`. Never rejects, so the caller need not wait: an error of `onChange` is passed to `onError`. */
  async #notify(changed: readonly string[]): Promise<void> {
    this.#isRunning = true
    try {
      await this.#onChange(changed)
    } catch (error) {
      attempt(() => this.#options.onError?.(error))
    }
    this.#isRunning = false
    if (this.#changedFiles().length > 0) this.#scheduleReport()
  }

  #changedFiles(): string[] {
    return this.#files.filter((file) => stampOf(file) !== this.#reported.get(file))
  }
}

/** Returns a text that changes if another folder takes this path. Undefined if there is no folder. */
function identityOf(folder: string): string | undefined {
  try {
    const { dev, ino } = statSync(folder, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}

/** The folders to watch with the file names in each. Includes the targets of links. */
function foldersOf(files: readonly string[]): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>()
  for (const file of files.flatMap((one) => [one, ...linkTarget(one)])) {
    const names = folders.get(dirname(file)) ?? new Set()
    folders.set(dirname(file), names.add(basename(file)))
  }
  return folders
}

function linkTarget(file: string): string[] {
  try {
    const target = realpathSync(file)
    return target === file ? [] : [target]
  } catch {
    return []
  }
}
