// Where state, cache and config live on each platform. The environment is handed in, never read here.

import { posix, win32 } from 'node:path'
import { readVariable } from '../core/variables.ts'

export interface PathEnv {
  readonly home: string
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
}

/** What must outlive a restart: audit, usage, pins, the token. */
export function stateDir(from: PathEnv): string {
  return place(from, 'XDG_STATE_HOME', '.local/state', 'Library/Application Support', 'state')
}

/** What can be made again: manifests, indexes. */
export function cacheDir(from: PathEnv): string {
  return place(from, 'XDG_CACHE_HOME', '.cache', 'Library/Caches', 'cache')
}

/** What people write. */
export function configDir(from: PathEnv): string {
  return place(from, 'XDG_CONFIG_HOME', '.config', 'Library/Application Support', 'config')
}

function place(
  { home, platform, env }: PathEnv,
  variable: string,
  xdg: string,
  macos: string,
  windows: string,
): string {
  if (platform === 'win32') {
    const local = readVariable(env, 'LOCALAPPDATA', platform) ?? ''
    const base = win32.isAbsolute(local) ? local : win32.join(home, 'AppData', 'Local')
    return win32.join(base, 'toolcrib', windows)
  }
  // A relative value is to be ignored, says the XDG specification. On macOS nobody sets these unless they mean it.
  const chosen = env[variable] ?? ''
  if (posix.isAbsolute(chosen)) return posix.join(chosen, 'toolcrib')
  return posix.join(home, platform === 'darwin' ? macos : xdg, 'toolcrib')
}
