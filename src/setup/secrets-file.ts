// The secrets file of Toolcrib: `NAME=value` lines that only this user can read.

import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { decodeText } from '../core/text.ts'

export function secretsFile({ configDir }: { readonly configDir: string }): string {
  return join(configDir, 'secrets.env')
}

/** Returns no values if the file does not exist, or if other users can access it. */
export function readSecrets(file: string, platform: NodeJS.Platform): Readonly<Record<string, string | undefined>> {
  try {
    return isOpenToOthers(file, platform) ? {} : secretsWritten(file)
  } catch {
    return {}
  }
}

/**
 * Reads the file even if other users can access it. Use the values only to choose the name of a secret; never pass them
 * to a server.
 */
export function secretsWritten(file: string): Readonly<Record<string, string | undefined>> {
  try {
    return parseEnv(decodeText(readFileSync(file)))
  } catch {
    return {}
  }
}

/** Whether `readSecrets` ignores the file, because other users can access it. */
export function isOpenToOthers(file: string, platform: NodeJS.Platform): boolean {
  try {
    return platform !== 'win32' && isAccessibleToOthers(statSync(file).mode)
  } catch {
    return false
  }
}

/** Whether the mode gives users other than the owner any access. */
export function isAccessibleToOthers(mode: number): boolean {
  return (mode & 0o077) !== 0
}

/** One line from which `parseEnv` reads the value, with quotes if needed. Undefined if there is no such line. */
export function secretLine(name: string, value: string): string | undefined {
  const lines = ['', '"', "'", '`'].map((quote) => `${name}=${quote}${value}${quote}`)
  return lines.find((line) => parseEnv(line)[name] === value && !/[\r\n]/.test(value))
}
