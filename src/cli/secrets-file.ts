// The values behind the references that `toolcrib import` wrote: `NAME=value` lines that only this user can read.

import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { decodeText } from '../core/text.ts'

export function secretsFile({ configDir }: { readonly configDir: string }): string {
  return join(configDir, 'secrets.env')
}

/** Nothing where there is no such file, or where others could have read or written it. */
export function readSecrets(file: string, platform: NodeJS.Platform): Readonly<Record<string, string | undefined>> {
  try {
    return isOpenToOthers(file, platform) ? {} : secretsWritten(file)
  } catch {
    return {}
  }
}

/** Whoever may have read or written them: for knowing which names are taken, never for use. */
export function secretsWritten(file: string): Readonly<Record<string, string | undefined>> {
  try {
    return parseEnv(decodeText(readFileSync(file)))
  } catch {
    return {}
  }
}

/** Then it is not read. */
export function isOpenToOthers(file: string, platform: NodeJS.Platform): boolean {
  try {
    return platform !== 'win32' && isLoose(statSync(file).mode)
  } catch {
    return false
  }
}

/** Others than its owner may read or write it. */
export function isLoose(mode: number): boolean {
  return (mode & 0o077) !== 0
}

/** As `parseEnv` reads it again; undefined where no way of quoting could say it. */
export function secretLine(name: string, value: string): string | undefined {
  const lines = ['', '"', "'", '`'].map((quote) => `${name}=${quote}${value}${quote}`)
  return lines.find((line) => parseEnv(line)[name] === value && !/[\r\n]/.test(value))
}
