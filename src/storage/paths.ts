// The folders for state, cache and config on each platform. The caller passes the environment in.

import { homedir } from 'node:os'
import { posix, win32 } from 'node:path'
import { readVariable } from '../core/variables.ts'

export interface PathEnv {
  readonly home: string
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The home folder of this user. The root folder for a user without one, such as the user of some containers. */
export function homeFolder(): string {
  try {
    return homedir()
  } catch {
    return '/'
  }
}

/** The folder for data that must survive a restart, such as logs, approvals, logins and the token. */
export function stateDir(from: PathEnv): string {
  return platformDir(from, 'state', '.local/state', 'Library/Application Support')
}

/** The folder for data that can be created again, such as manifests and the cached catalog. */
export function cacheDir(from: PathEnv): string {
  return platformDir(from, 'cache', '.cache', 'Library/Caches')
}

/** The folder for files that people write. */
export function configDir(from: PathEnv): string {
  return platformDir(from, 'config', '.config', 'Library/Application Support')
}

function platformDir({ home, platform, env }: PathEnv, kind: string, xdg: string, macos: string): string {
  if (platform === 'win32') {
    const local = readVariable(env, 'LOCALAPPDATA', platform) ?? ''
    const base = win32.isAbsolute(local) ? local : win32.join(home, 'AppData', 'Local')
    return win32.join(base, 'toolcrib', kind)
  }
  // The XDG specification tells programs to ignore relative values. On macOS these variables are set only on purpose.
  const chosen = env[`XDG_${kind.toUpperCase()}_HOME`] ?? ''
  if (posix.isAbsolute(chosen)) return posix.join(chosen, 'toolcrib')
  return posix.join(home, platform === 'darwin' ? macos : xdg, 'toolcrib')
}
