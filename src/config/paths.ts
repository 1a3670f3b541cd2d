// Resolves paths in configs and finds the folders of settings, by the rules of a given platform.

import { type PlatformPath, posix, win32 } from 'node:path'
import { readVariable } from '../core/variables.ts'
import type { PathEnv } from '../storage/paths.ts'
import { renderTemplate } from './references.ts'

export function pathOn(platform: NodeJS.Platform): PlatformPath {
  return platform === 'win32' ? win32 : posix
}

export interface PathContext {
  readonly home: string
  readonly platform: NodeJS.Platform
  /** The folder for relative paths. Without it, relative paths stay unchanged. */
  readonly base?: string | undefined
}

/** Replaces a leading `~` with the home folder. */
export function expandHome(path: string, home: string): string {
  return path.replace(/^~(?=$|[\\/])/, () => home)
}

/** Resolves `~/x` below the home folder and `./x` below the base. */
export function resolvePath(path: string, { home, platform, base }: PathContext): string {
  const { isAbsolute, join, normalize } = pathOn(platform)
  const expanded = expandHome(path, home)
  if (expanded !== path) return normalize(expanded)
  return base === undefined || isAbsolute(path) ? path : join(base, path)
}

/**
 * Like `resolvePath`, for a path that may contain references. A path that starts with `$` stays unchanged, because a
 * reference can be an absolute path. `home` and `base` are escaped, so that they are not read as references.
 */
export function resolveTemplatePath(path: string, { home, base, platform }: PathContext): string {
  if (path.startsWith('$')) return path
  const safe = (folder: string) => renderTemplate([folder])
  return resolvePath(path, { home: safe(home), platform, base: base === undefined ? undefined : safe(base) })
}

/**
 * The folder in which applications keep the settings of a user: Application Support, %APPDATA%, or the XDG config
 * folder.
 */
export function settingsFolder(environment: PathEnv): string {
  const { home, platform, env } = environment
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support')
  return platform === 'win32'
    ? readVariable(env, 'APPDATA', platform) || win32.join(home, 'AppData', 'Roaming')
    : xdgConfigFolder(environment)
}

/** `$XDG_CONFIG_HOME`, or else `~/.config`, on every platform. */
export function xdgConfigFolder({ home, platform, env }: PathEnv): string {
  return env.XDG_CONFIG_HOME || pathOn(platform).join(home, '.config')
}
