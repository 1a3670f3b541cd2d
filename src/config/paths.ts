// Paths as people write them in configs, on whichever platform the config is for.

import { type PlatformPath, posix, win32 } from 'node:path'
import { readVariable } from '../core/variables.ts'
import { renderTemplate } from './references.ts'

export function pathOn(platform: NodeJS.Platform): PlatformPath {
  return platform === 'win32' ? win32 : posix
}

export interface PathContext {
  readonly home: string
  readonly platform: NodeJS.Platform
  /** What relative paths are relative to; left out: they stay as they are. */
  readonly base?: string | undefined
}

/** `~/x` below the home folder, `./x` below the base. */
export function resolvePath(path: string, { home, platform, base }: PathContext): string {
  const { isAbsolute, join } = pathOn(platform)
  if (/^~(?=$|[\\/])/.test(path)) return join(home, path.slice(1))
  return base === undefined || isAbsolute(path) ? path : join(base, path)
}

/** The same for a text that may hold references: what stands before it is kept from being read as one. */
export function resolveTemplatePath(path: string, { home, base, platform }: PathContext): string {
  if (path.startsWith('$')) return path
  const safe = (folder: string) => renderTemplate([folder])
  return resolvePath(path, { home: safe(home), platform, base: base === undefined ? undefined : safe(base) })
}

/** Where applications keep a user's settings: Application Support, %APPDATA%, or the XDG config folder. */
export function settingsFolder(environment: {
  readonly home: string
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
}): string {
  const { home, platform, env } = environment
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support')
  return platform === 'win32'
    ? readVariable(env, 'APPDATA', platform) || win32.join(home, 'AppData', 'Roaming')
    : xdgConfigFolder(environment)
}

/** `$XDG_CONFIG_HOME`, else `~/.config`, on every platform. */
export function xdgConfigFolder({
  home,
  platform,
  env,
}: {
  readonly home: string
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
}): string {
  return env.XDG_CONFIG_HOME || pathOn(platform).join(home, '.config')
}
