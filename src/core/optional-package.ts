// Loads packages that only some settings need. Users install them themselves.

import { createRequire } from 'node:module'
import { raise } from './errors.ts'

/** `what` is the setting, and `reason` says what needs the package. The error names the command that installs it. */
export async function loadOptional<T>(name: string, load: () => Promise<T>, about: About): Promise<T> {
  try {
    return await load()
  } catch (error) {
    if (canResolve(name)) throw error
    return raise('INVALID_OPTIONS', missingPackage(name, about))
  }
}

interface About {
  readonly what: string
  readonly reason: string
}

/** The data of the error about a package that is not installed. */
export function missingPackage(name: string, { what, reason }: About) {
  return {
    what,
    reason: `${reason} the package '${name}', which is not installed`,
    todo: `Run \`npm install ${name}\` where toolcrib is installed (\`npm install -g ${name}\` for a global installation).`,
  }
}

export function canResolve(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name)
    return true
  } catch {
    return false
  }
}
