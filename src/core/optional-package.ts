// Loads packages that only some settings need. Users install them themselves.

import { createRequire } from 'node:module'
import { raise } from './errors.ts'

/** Loads a package. If it is not installed, raises an error with the command that installs it. */
export async function loadOptional<T>(name: string, load: () => Promise<T>, about: About): Promise<T> {
  try {
    return await load()
  } catch (error) {
    requireInstalled(name, about)
    throw error
  }
}

interface About {
  /** The setting that needs the package. */
  readonly what: string
  /** The start of the reason, such as `a store in Redis needs`. */
  readonly reason: string
}

/** Like `loadOptional`, but does not load the package. */
export function requireInstalled(name: string, { what, reason }: About): void {
  try {
    createRequire(import.meta.url).resolve(name)
  } catch {
    raise('INVALID_OPTIONS', {
      what,
      reason: `${reason} the package '${name}', which is not installed`,
      todo: `Run \`npm install ${name}\` where toolcrib is installed (\`npm install -g ${name}\` for a global installation).`,
    })
  }
}
