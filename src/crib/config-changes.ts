// Two ways to detect a changed configuration: the time of a change of its files, and the part that takes effect.

import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { LoadedConfig } from '../config/load/load.ts'

/** The clock of a file system may be slightly behind the clock of this process. */
const CLOCK_MARGIN_MS = 100

/**
 * True if the file has changed since this time. Also true if a file in the same folder was created or deleted, because
 * that changes the folder, and if the times cannot be read.
 */
export function mayHaveChanged(file: string, sinceMs: number): boolean {
  const changedAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0
  try {
    return Math.max(changedAt(file), changedAt(dirname(file))) > sinceMs - CLOCK_MARGIN_MS
  } catch {
    return true
  }
}

/** The part of a configuration that decides which servers are served and how. It has no origins of servers. */
export function effectivePart({ config, servers, rules, projectRules, variables, secretNames }: LoadedConfig): unknown {
  // Plugins are code, which JSON cannot compare. They take effect only at the start.
  const settings = { ...config, plugins: undefined }
  const described = servers.map(({ origin: _origin, ...server }) => server)
  return [settings, described, rules, projectRules, variables, secretNames]
}
