// Tells when files change: also by rename, also those that are not there yet. Looks again now and then, in case nobody tells.

import { type FSWatcher, realpathSync, statSync, watch } from 'node:fs'
import { basename, dirname } from 'node:path'

export interface WatchOptions {
  /** How long files must be left alone before a change counts: editors write more than once. */
  readonly debounceMs?: number
  /** How often to look without being told; what the system does not report, network folders say, is seen then. */
  readonly pollMs?: number
  readonly signal?: AbortSignal
  /** What `onChange` throws; watching goes on. */
  readonly onError?: (error: unknown) => void
}

export interface ConfigWatch {
  /** Watches these from now on: another config may name other sources. */
  update(files: readonly string[]): void
  /** Nothing is reported any more; also from within a report. */
  close(): void
  [Symbol.dispose](): void
}

export type OnChange = (changed: readonly string[]) => void | Promise<void>

/** A file that never rests is reported all the same, after this many times the debounce. */
const MAX_DEBOUNCES = 10

export function watchConfig(files: readonly string[], onChange: OnChange, options: WatchOptions = {}): ConfigWatch {
  return new Watching(files, onChange, options)
}

class Watching implements ConfigWatch {
  #files: readonly string[] = []
  readonly #onChange: OnChange
  readonly #options: WatchOptions
  readonly #debounceMs: number
  /** What each file looked like when it was last reported. */
  readonly #known = new Map<string, string>()
  readonly #folders = new Map<string, { readonly watcher: FSWatcher; readonly identity: string }>()
  #pollTimer: NodeJS.Timeout
  #restTimer: NodeJS.Timeout | undefined
  #restlessSince: number | undefined
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
    for (const file of this.#known.keys()) if (!this.#files.includes(file)) this.#known.delete(file)
    for (const file of this.#files) if (!this.#known.has(file)) this.#known.set(file, looks(file))
    this.#detach()
    this.#attach()
  }

  close(): void {
    this.#isClosed = true
    this.#options.signal?.removeEventListener('abort', this.#onAbort)
    clearInterval(this.#pollTimer)
    clearTimeout(this.#restTimer)
    this.#detach()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #poll(): void {
    this.#attach()
    if (this.#restTimer === undefined && this.#changed().length > 0) this.#disturbed()
  }

  /** Watches folders, not files: a file that is replaced takes its watcher with it. */
  #attach(): void {
    for (const [folder, names] of foldersOf(this.#files)) {
      const identity = looks(folder, 'identity')
      const attached = this.#folders.get(folder)
      if (attached?.identity === identity) continue
      attached?.watcher.close()
      this.#folders.delete(folder)
      if (identity === ABSENT) continue
      try {
        const watcher = watch(folder, { persistent: false }, (_, name) => {
          if (name === null || names.has(name)) this.#disturbed()
        })
        watcher.on('error', () => {
          watcher.close()
          this.#folders.delete(folder)
        })
        this.#folders.set(folder, { watcher, identity })
      } catch {
        // No more watchers to be had, or none for this folder: polling sees it.
      }
    }
  }

  #detach(): void {
    for (const { watcher } of this.#folders.values()) watcher.close()
    this.#folders.clear()
  }

  #disturbed(): void {
    if (this.#isClosed) return
    this.#restlessSince ??= performance.now()
    const restlessMs = performance.now() - this.#restlessSince
    if (this.#restTimer !== undefined && restlessMs > this.#debounceMs * MAX_DEBOUNCES) return
    clearTimeout(this.#restTimer)
    this.#restTimer = setTimeout(() => this.#rested(), this.#debounceMs).unref()
  }

  #rested(): void {
    this.#restTimer = undefined
    this.#restlessSince = undefined
    // One report at a time; what changes meanwhile is found when it ends.
    if (this.#isRunning) return
    const changed = this.#changed()
    if (changed.length === 0) return
    for (const file of changed) this.#known.set(file, looks(file))
    void this.#report(changed)
  }

  /** Never fails, so nobody has to wait for it. */
  async #report(changed: readonly string[]): Promise<void> {
    this.#isRunning = true
    try {
      await this.#onChange(changed)
    } catch (error) {
      this.#options.onError?.(error)
    }
    this.#isRunning = false
    if (this.#changed().length > 0) this.#disturbed()
  }

  #changed(): string[] {
    return this.#files.filter((file) => looks(file) !== this.#known.get(file))
  }
}

const ABSENT = 'absent'

/** What tells one version of a file from another; of a folder only which folder it is. */
function looks(path: string, part: 'version' | 'identity' = 'version'): string {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    if (found === undefined) return ABSENT
    const identity = `${found.dev}:${found.ino}`
    return part === 'identity' ? identity : `${identity}:${found.size}:${found.mtimeNs}:${found.mode}:${found.uid}`
  } catch {
    return ABSENT
  }
}

/** The folders to watch with the names of interest in each, links followed. */
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
